import type { App } from '@portal/contract/apps';
import { getPromisedAgeMs } from '@portal/contract/attention';
import { formatTimeOfDay } from '@portal/platforms/reachability';
import type { CheckResults, CheckSubject, StoredCheck } from '../../app-checks/app-checks.store.ts';
import type { AttentionResult, FoundItem } from './attention-source.ts';

export interface CheckedApp<Subject extends CheckSubject> {
  readonly app: App;
  /** Undefined if the app was never checked. */
  readonly check: StoredCheck<Subject> | undefined;
}

export interface SummarizeOptions<Subject extends CheckSubject> {
  /** What is checked, for use in sentences: 'the configuration'. */
  readonly subject: string;
  /** Why the source cannot be read at the moment; null if it can. */
  readonly problem: string | null;
  /** The IANA zone of times in sentences. */
  readonly timeZone: string;
  readonly toItems: (app: App, result: CheckResults[Subject]) => readonly FoundItem[];
}

const maxReasons = 2;
/** The refusal of one session is not stored for others. */
const refused = 'The platform refused it.';

/**
 * Returns what the last successful check of each app found, and sentences about the apps that
 * cannot be read at the moment.
 */
export function summarizeChecks<Subject extends CheckSubject>(
  checked: readonly CheckedApp<Subject>[],
  { subject, problem, timeZone, toItems }: SummarizeOptions<Subject>,
): AttentionResult {
  const found = checked.map(({ app, check }) => ({
    items: check?.result ? toItems(app, check.result) : [],
    readAt: check?.readAt ? Date.parse(check.readAt) : undefined,
    failure: check && (check.problem ?? (isRefused(check) ? refused : undefined)),
  }));
  const dueAt = Date.now() - getPromisedAgeMs(checked.length);
  const failed = found.filter(({ failure }) => problem !== null || failure !== undefined);
  const why = problem ?? describeFailures(failed, checked.length, subject);
  const oldShown = findOldest(failed.filter(({ items }) => items.length > 0));
  const note =
    oldShown === undefined ? '' : ` What is shown of these apps is from ${formatTimeOfDay(oldShown, timeZone)}.`;
  const oldest = findOldest(found);
  return {
    items: found.flatMap(({ items }) => items),
    problems: why === undefined ? [] : [why + note],
    checks: {
      // What cannot be read at the moment is a problem, and not worth waiting for.
      missing: problem === null ? checked.filter(({ check }) => !check).length : 0,
      outdated:
        problem === null ? checked.filter(({ check }) => check && Date.parse(check.attemptedAt) < dueAt).length : 0,
      oldest: oldest === undefined ? null : new Date(oldest).toISOString(),
    },
  };
}

/** Whether the last attempt was refused; what was read before it may no longer be true. */
function isRefused({ result, readAt, attemptedAt }: StoredCheck<CheckSubject>): boolean {
  return result === null || readAt === null || Date.parse(readAt) < Date.parse(attemptedAt);
}

function findOldest(found: readonly { readonly readAt: number | undefined }[]): number | undefined {
  const instants = found.flatMap(({ readAt }) => readAt ?? []);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

function describeFailures(
  failed: readonly { readonly failure: string | undefined }[],
  total: number,
  subject: string,
): string | undefined {
  if (failed.length === 0) return undefined;
  const why = [...new Set(failed.map(({ failure }) => failure))].slice(0, maxReasons).join(' ');
  return `For ${failed.length} of ${total} apps, ${subject} could not be read: ${why}`;
}
