import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { NotSignedIn, Problem } from '@portal/kit/problems';
import { untilAborted } from '@portal/kit/until-aborted';
import type { Silent } from '@portal/platforms/reachability';
import type { AttentionResult } from './attention-source.ts';
import type { AppMemory } from './last-found.ts';

export interface CheckAppsOptions {
  /** What is checked, for use in sentences: 'the configuration'. */
  readonly subject: string;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** The system that answers about the apps. */
  readonly system: { readonly silence: Silent | undefined };
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
 * what was last found of apps without an answer, and sentences: that the system is silent, or how
 * many apps are missing.
 */
export async function checkApps(
  apps: readonly App[],
  check: (app: App) => Promise<readonly Attention[]>,
  { subject, concurrency, signal, system, memory }: CheckAppsOptions,
): Promise<AttentionResult> {
  const items: Attention[] = [];
  const reasons = new Map<App, string>();
  const unread = new Set(apps);
  const waiting = apps.values();
  const checkNext = async () => {
    for (const app of waiting) {
      if (signal.aborted) return;
      try {
        const found = await untilAborted(signal, check(app));
        items.push(...found);
        memory.remember(app, found);
        unread.delete(app);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Problem) || error instanceof NotSignedIn) throw error;
        reasons.set(app, error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, checkNext));
  const { silence } = system;
  const late = [...unread].filter((app) => !reasons.has(app));
  const recalled = memory.recall(silence ? unread : late);
  const problems = silence ? [silence.message] : describeProblems(subject, apps.length, late.length, reasons);
  const [first = '', ...others] = problems;
  return { items: [...items, ...recalled.items], problems: first === '' ? [] : [first + recalled.note, ...others] };
}

function describeProblems(subject: string, total: number, late: number, reasons: ReadonlyMap<App, string>) {
  const problems: string[] = [];
  if (reasons.size > 0) {
    const why = [...new Set(reasons.values())].slice(0, maxReasons).join(' ');
    problems.push(`For ${reasons.size} of ${total} apps, ${subject} could not be read: ${why}`);
  }
  if (late > 0) problems.push(`For ${late} of ${total} apps, ${subject} could not be read in time.`);
  return problems;
}
