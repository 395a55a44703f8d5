/**
 * Helium → Journey, one page:
 *
 *   dirty keys ─▶ rows as they are now ─▶ differ from what Journey holds or will hold?
 *     ─▶ intents saved ─▶ one batch ─▶ answered, cursor moved
 *      └───── transaction ────┘           └── transaction ──┘
 *
 * After a kill in between, the next run finds the cursor unchanged and the intents unanswered, and
 * sends the same writes again. A page may be planned while the previous one is sent
 * (`reader/prefetch.ts`); its response is processed after the previous one's, so cursors only grow.
 */
import { KeyMap } from '../../record/record-key.ts';
import { compareMoved, compareRenamed } from '../missing/rewritten-tables.ts';
import type { RunWith } from '../run/parts.ts';
import type { SyncContext } from '../state/context.ts';
import type { FoundRecord, UnknownRecord } from '../state/look-ups.ts';
import { lookUp } from './planner/look-up.ts';
import type { KeyToPlan } from './planner/plan-record.ts';
import { discardPage, type PageCompletion, type PlannedPage, planPage } from './planner.ts';
import { reportReceipts } from './receipts/report.ts';
import { finishEmptyPage, type SentPage, saveReceipts } from './receipts.ts';
import { type SendResult, sendWrites } from './sender.ts';

export interface PageToSend {
  readonly context: SyncContext;
  readonly keys: readonly KeyToPlan[];
  readonly done: PageCompletion;
  /** The plan, when the page was planned ahead. */
  readonly plan?: PlannedPage | null;
  readonly onPlanned?: (plan: PlannedPage) => void;
}

type SendingRun = RunWith<'echoes' | 'loops' | 'mapping' | 'progress' | 'retries' | 'tally' | 'timing'>;

/**
 * Sends a page. Journey is asked first for the records of which nothing is known. Returns whether
 * the page was sent; otherwise the mapping has changed and the page is read again.
 */
export async function sendPage(run: SendingRun & RunWith<'lookUps'>, page: PageToSend): Promise<boolean> {
  const { signal } = run;
  const found = new KeyMap<FoundRecord>();
  for (;;) {
    const unknown = await sendKnown(run, page, found);
    if (unknown.length === 0) return true;
    await lookUp(run, page.context, unknown, { found, signal });
    if (run.context !== page.context) return false;
  }
}

/**
 * Sends a page in one of the process's work slots, unless records in it are unknown. Returns these.
 *
 * @param found what Journey has of the records that were looked up
 */
export async function sendKnown(
  run: SendingRun,
  page: PageToSend,
  found: KeyMap<FoundRecord>,
): Promise<readonly UnknownRecord[]> {
  let isCalled = false;
  const onCall = () => {
    isCalled = true;
  };
  const result = await run.context
    .withSlot(() => planAndSend(run, page, found, onCall))
    .catch((error: unknown) => {
      // Without a call, which limits may prevent, the op-log need not be readable first.
      if (run.context.isFromJourney && isCalled) run.echoes.markUnanswered();
      throw error;
    });
  if ('unknown' in result) return result.unknown;
  reportReceipts(run, result.sent);
  return [];
}

async function planAndSend(
  run: SendingRun,
  { context, keys, done, plan: planned, onPlanned }: PageToSend,
  found: KeyMap<FoundRecord>,
  onCall: () => void,
): Promise<{ readonly unknown: readonly UnknownRecord[] } | { readonly sent: SentPage }> {
  const plan = planned ?? (await planPage(context, keys, { done, found }));
  if (plan.unknown.length > 0) return { unknown: plan.unknown };
  onPlanned?.(plan);
  // Files that lost one may have to be fetched.
  if (plan.conflicts > 0) run.loops.wake('files to fetch');
  // Before the page is done: if it is not, it is planned again.
  if (plan.renamedTables.length > 0) await compareRenamed(run, plan.renamedTables);
  if (plan.movedTables.length > 0) await compareMoved(run, plan.movedTables);
  const base = { lastSentMs: run.tally.lastSentMs, backoff: run.timing.retry };
  if (plan.planned.length === 0) return { sent: await finishEmptyPage(context, plan, done) };
  const calledAtMs = context.journey.nowMs();
  const answers = await sendOrDiscard(context, plan, onCall);
  const getMapping = () => run.mapping.followed;
  return { sent: await saveReceipts(context, plan, answers, { done, base, calledAtMs, getMapping }) };
}

/** Sends the writes of a page. One that Journey's pause keeps from being sent is planned again. */
async function sendOrDiscard(context: SyncContext, plan: PlannedPage, onCall: () => void): Promise<SendResult> {
  let isCalled = false;
  const noteCall = () => {
    isCalled = true;
    onCall();
  };
  try {
    return await sendWrites(context, plan.planned, noteCall);
  } catch (error) {
    // Its intents would explain what a device writes in the meantime.
    if (!isCalled) await discardPage(context, plan).catch(() => undefined);
    throw error;
  }
}
