import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { NotSignedIn, Problem } from '@portal/kit/problems';
import { untilAborted } from '@portal/kit/until-aborted';
import { Silent } from '@portal/platforms/reachability';
import type { AttentionResult } from './attention-source.ts';
import type { AppMemory } from './last-found.ts';

export interface CheckAppsOptions {
  /** What is checked, for use in sentences: 'the configuration'. */
  readonly subject: string;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly memory: AppMemory;
}

const maxReasons = 2;
/** Each app costs a request to the platform or a data source, and users check often. */
const maxApps = 500;

/** Returns the apps that one check may cover, and a sentence if those are not all. */
export function limitApps(all: readonly App[]): {
  readonly apps: readonly App[];
  readonly problems: readonly string[];
} {
  if (all.length <= maxApps) return { apps: all, problems: [] };
  return {
    apps: all.slice(0, maxApps),
    problems: [`Only the first ${maxApps} of ${all.length} apps were checked.`],
  };
}

/**
 * Checks the apps with limited concurrency until the signal aborts. Returns what was found by then,
 * what was last found of apps for which there was no answer, and sentences that state how many those are, or which
 * system is silent.
 */
export async function checkApps(
  apps: readonly App[],
  check: (app: App) => Promise<readonly Attention[]>,
  { subject, concurrency, signal, memory }: CheckAppsOptions,
): Promise<AttentionResult> {
  const items: Attention[] = [];
  const reasons: string[] = [];
  const silences = new Set<string>();
  const unanswered = new Set(apps);
  const waiting = apps.values();
  const checkNext = async () => {
    for (const app of waiting) {
      if (signal.aborted) return;
      try {
        const found = await untilAborted(signal, check(app));
        items.push(...found);
        memory.remember(app, found);
        unanswered.delete(app);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Problem) || error instanceof NotSignedIn) throw error;
        if (error instanceof Silent) {
          silences.add(error.message);
          continue;
        }
        reasons.push(error.message);
        memory.remember(app, []);
        unanswered.delete(app);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, checkNext));
  const recalled = memory.recall(unanswered);
  const [first, ...others] =
    silences.size > 0 ? silences : describeProblems(subject, apps.length, unanswered.size, reasons);
  return {
    items: [...items, ...recalled.items],
    problems: first === undefined ? [] : [first + recalled.note, ...others],
  };
}

function describeProblems(subject: string, total: number, late: number, reasons: readonly string[]): string[] {
  const problems: string[] = [];
  if (reasons.length > 0) {
    const why = [...new Set(reasons)].slice(0, maxReasons).join(' ');
    problems.push(`For ${reasons.length} of ${total} apps, ${subject} could not be read: ${why}`);
  }
  if (late > 0) problems.push(`For ${late} of ${total} apps, ${subject} could not be read in time.`);
  return problems;
}
