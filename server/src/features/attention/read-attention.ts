import { setMaxListeners } from 'node:events';
import { type AttentionItem, attentionItemSchema, type getAttention, maxItemsOfKind } from '@portal/contract/attention';
import type { ResponseOf } from '@portal/contract/endpoint';
import { untilAborted } from '@portal/kit/concurrency/until-aborted';
import type { Logger } from '@portal/kit/logger';
import { NotSignedIn, Problem } from '@portal/kit/problems';
import type { Caller } from '../../session/caller.ts';
import { type AttentionResult, type AttentionSource, mergeResults } from './attention-source.ts';

export interface ReadAttentionOptions {
  readonly sources: readonly AttentionSource[];
  readonly logger: Logger;
  /** Time after which a source returns what it has. */
  readonly timeoutMs: number;
  /** Additional time for a source to return; after that it is ignored. */
  readonly graceMs: number;
  /** Aborts when the caller is gone; then everything stops. */
  readonly signal: AbortSignal;
}

/** Returns what all sources have found, the most urgent first. Throws like `findItems`. */
export async function readAttention(
  caller: Caller,
  options: ReadAttentionOptions,
): Promise<ResponseOf<typeof getAttention>> {
  const { items, moreFailing, problems, checks } = await findItems(caller, options);
  const counts: Partial<Record<AttentionItem['kind'], number>> =
    moreFailing > 0 ? { 'failing-function': moreFailing } : {};
  for (const { kind } of items) counts[kind] = (counts[kind] ?? 0) + 1;
  return {
    items: limitItems(items.map(({ appId: _, ...item }) => item).toSorted(compareUrgency)),
    counts,
    problems: problems.slice(0, maxProblems).map((problem) => problem.slice(0, maxProblemLength)),
    checks,
  };
}

/**
 * Checks all sources in parallel. A failure of one is reported in `problems`, except for wrong
 * credentials, which throw. Throws the signal's reason when the signal aborts.
 */
export async function findItems(
  caller: Caller,
  { sources, logger, timeoutMs, graceMs, signal }: ReadAttentionOptions,
): Promise<Required<AttentionResult>> {
  return mergeResults(await Promise.all(sources.map((source) => findItemsOf(source))));

  async function findItemsOf(source: AttentionSource): Promise<AttentionResult> {
    const late = AbortSignal.timeout(timeoutMs + graceMs);
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    // A source makes many calls at a time.
    setMaxListeners(0, ended);
    try {
      return await untilAborted(AbortSignal.any([signal, late]), source.findItems(caller, ended));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NotSignedIn) throw error;
      if (late.aborted) return { items: [], problems: [`Checking ${source.subject} took too long.`] };
      if (error instanceof Problem) return { items: [], problems: [error.message] };
      const { requestId } = caller.origin;
      logger.error({ err: error, requestId }, `could not check ${source.subject}`);
      return {
        items: [],
        problems: [`Could not check ${source.subject} because of an internal error (request id ${requestId}).`],
      };
    }
  }
}

const kindsByUrgency = attentionItemSchema.shape.kind.options;
/** With these, a response has at most 100 kB. */
const maxItemsBytes = 60_000;
const maxProblems = 20;
const maxProblemLength = 600;

/** Returns the first items of each kind, and fewer if their texts are very long. */
function limitItems(items: readonly AttentionItem[]): AttentionItem[] {
  for (let max = maxItemsOfKind; ; max = Math.floor(max / 2)) {
    const limited = kindsByUrgency.flatMap((kind) => items.filter((item) => item.kind === kind).slice(0, max));
    if (Buffer.byteLength(JSON.stringify(limited)) <= maxItemsBytes) return limited;
  }
}

/**
 * Sorts by kind in the contract's order, then deployments and gaps in rosters by the earliest first
 * and everything else by the newest first.
 */
function compareUrgency(a: AttentionItem, b: AttentionItem): number {
  const byKind = kindsByUrgency.indexOf(a.kind) - kindsByUrgency.indexOf(b.kind);
  const byTime = (a.at ?? '').localeCompare(b.at ?? '') * (isUpcoming(a) ? 1 : -1);
  return byKind || byTime || a.title.localeCompare(b.title);
}

function isUpcoming({ kind }: AttentionItem): boolean {
  return kind === 'deployment' || kind === 'roster-gap';
}
