import { Problem, Unreachable } from '@portal/kit/problems';
import type { AppCallContext, HeliumClient } from '@portal/platforms/helium/client';
import { areSame, type ChangedSettings, stepsOf, valuesIn } from './changed-settings.ts';

/** How long the platform may take to say how things stand after a step failed. */
const lookAgainMs = 3_000;

/** What came of a change. */
export interface Patched {
  /** The platform's words. */
  readonly text: string;
  readonly before: ChangedSettings;
  /** What is so now. */
  readonly after: ChangedSettings;
  /**
   * Set when the change failed half-way and could not be taken back: `after` is then not what was
   * wanted.
   */
  readonly problem?: Problem;
}

/**
 * Makes a change in its one or two steps. When the second fails, what the first did is put back and
 * the failure is thrown, with a word on it. An answer that got lost is not taken for a failure when
 * the platform shows the change as made.
 */
export async function patchInSteps(
  helium: HeliumClient,
  as: AppCallContext,
  before: ChangedSettings,
  after: ChangedSettings,
): Promise<Patched> {
  const texts: string[] = [];
  let made: ChangedSettings = {};
  for (const patch of stepsOf(after)) {
    try {
      texts.push(await helium.patchAppConfig({ ...as, patch }));
      made = patch;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return settle(error);
    }
  }
  return { text: texts.join(' '), before, after };

  async function settle(problem: Problem): Promise<Patched> {
    const now = problem instanceof Unreachable ? await lookAgain() : undefined;
    if (now && areSame(now, after)) {
      return { text: `The change is made, although the platform's answer was lost.`, before, after };
    }
    if (texts.length === 0) throw problem;
    const old = valuesIn(before, made);
    try {
      await helium.patchAppConfig({ ...as, patch: old });
    } catch {
      problem.message += ' The old entry point was removed already and could not be put back: it is not set now.';
      return { text: '', before: old, after: made, problem };
    }
    problem.message += ' The old entry point was put back.';
    throw problem;
  }

  async function lookAgain(): Promise<ChangedSettings | undefined> {
    try {
      return valuesIn(await helium.getAppConfig({ ...as, signal: AbortSignal.timeout(lookAgainMs) }), after);
    } catch {
      return undefined;
    }
  }
}
