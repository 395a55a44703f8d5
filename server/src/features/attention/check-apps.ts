import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { NotSignedIn, Problem } from '@portal/kit/problems';
import { untilAborted } from '@portal/kit/until-aborted';
import type { AttentionResult } from './attention-source.ts';

export interface CheckAppsOptions {
  /** What is checked, for use in sentences: 'the configuration'. */
  readonly subject: string;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

const maxReasons = 2;
/** Each app costs a request to the platform or a data source, and users check often. */
const maxApps = 500;

/**
 * Checks the apps with limited concurrency until the signal aborts. Returns what was found by then,
 * and sentences that state how many apps are missing.
 */
export async function checkApps(
  all: readonly App[],
  check: (app: App) => Promise<readonly Attention[]>,
  { subject, concurrency, signal }: CheckAppsOptions,
): Promise<AttentionResult> {
  const apps = all.slice(0, maxApps);
  const items: Attention[] = [];
  const reasons: string[] = [];
  let checkedCount = 0;
  const waiting = apps.values();
  const checkNext = async () => {
    for (const app of waiting) {
      if (signal.aborted) return;
      try {
        items.push(...(await untilAborted(signal, check(app))));
        checkedCount += 1;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Problem) || error instanceof NotSignedIn) throw error;
        reasons.push(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, checkNext));
  const problems = describeProblems(subject, apps.length, checkedCount, reasons);
  if (all.length > maxApps) problems.push(`Only the first ${maxApps} of ${all.length} apps were checked.`);
  return { items, problems };
}

function describeProblems(subject: string, total: number, checkedCount: number, reasons: readonly string[]): string[] {
  const problems: string[] = [];
  const late = total - checkedCount - reasons.length;
  if (reasons.length > 0) {
    const why = [...new Set(reasons)].slice(0, maxReasons).join(' ');
    problems.push(`For ${reasons.length} of ${total} apps, ${subject} could not be read: ${why}`);
  }
  if (late > 0) problems.push(`For ${late} of ${total} apps, ${subject} could not be read in time.`);
  return problems;
}
