import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { NotSignedIn, Problem } from '@portal/kit/problems';
import type { Looked } from './attention-source.ts';
import { untilAborted } from './until-aborted.ts';

export interface AskingOfApps {
  /** What is asked about, for sentences: 'the configuration'. */
  readonly subject: string;
  readonly atATime: number;
  readonly signal: AbortSignal;
}

const mostReasons = 2;
/** Each is a call to the platform or a data source, and people look often. */
const mostApps = 500;

/**
 * Asks about each app, some at a time, until the signal ends it: what was found by then is the
 * answer, and sentences say of how many apps it is missing.
 */
export async function askOfApps(
  all: readonly App[],
  ask: (app: App) => Promise<readonly Attention[]>,
  { subject, atATime, signal }: AskingOfApps,
): Promise<Looked> {
  const apps = all.slice(0, mostApps);
  const items: Attention[] = [];
  const reasons: string[] = [];
  let answered = 0;
  const waiting = apps.values();
  const askOneByOne = async () => {
    for (const app of waiting) {
      if (signal.aborted) return;
      try {
        items.push(...(await untilAborted(signal, ask(app))));
        answered += 1;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Problem) || error instanceof NotSignedIn) throw error;
        reasons.push(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: atATime }, askOneByOne));
  const problems = problemsOf(subject, apps.length, answered, reasons);
  if (all.length > mostApps) problems.push(`Only the first ${mostApps} of ${all.length} apps are looked at.`);
  return { items, problems };
}

function problemsOf(subject: string, asked: number, answered: number, reasons: readonly string[]): string[] {
  const problems: string[] = [];
  const late = asked - answered - reasons.length;
  if (reasons.length > 0) {
    const why = [...new Set(reasons)].slice(0, mostReasons).join(' ');
    problems.push(`Of ${reasons.length} of ${asked} apps ${subject} could not be read: ${why}`);
  }
  if (late > 0) problems.push(`Of ${late} of ${asked} apps ${subject} could not be read in time.`);
  return problems;
}
