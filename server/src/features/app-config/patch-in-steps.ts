import { Problem, Unreachable } from '@portal/kit/problems';
import type { AppCallContext, HeliumClient } from '@portal/platforms/helium/client';
import { areEqual, type ChangedSettings, pickSettings, toSteps } from './changed-settings.ts';

/** Time limit for reading the platform's state again after a step failed. */
const rereadTimeoutMs = 3_000;

/** The result of a change. */
export interface PatchResult {
  /** The platform's text. */
  readonly text: string;
  readonly before: ChangedSettings;
  /** The resulting values. */
  readonly after: ChangedSettings;
  /**
   * Set if the change failed halfway and could not be rolled back; `after` then differs from the
   * requested values.
   */
  readonly problem?: Problem;
}

/**
 * Applies a change in one or two steps. If the second fails, the first is rolled back and the error
 * is thrown with a note about it. A lost response does not count as a failure if the platform shows
 * that the change was applied.
 */
export async function patchInSteps(
  helium: HeliumClient,
  as: AppCallContext,
  before: ChangedSettings,
  after: ChangedSettings,
): Promise<PatchResult> {
  const texts: string[] = [];
  let applied: ChangedSettings = {};
  for (const patch of toSteps(after)) {
    try {
      texts.push(await helium.patchAppConfig({ ...as, patch }));
      applied = patch;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return recover(error);
    }
  }
  return { text: texts.join(' '), before, after };

  async function recover(problem: Problem): Promise<PatchResult> {
    const now = problem instanceof Unreachable ? await reread() : undefined;
    if (now && areEqual(now, after)) {
      return { text: `The change was applied, although the platform's response was lost.`, before, after };
    }
    if (texts.length === 0) throw problem;
    const old = pickSettings(before, applied);
    try {
      await helium.patchAppConfig({ ...as, patch: old });
    } catch {
      problem.message +=
        ' The old entry point had already been removed and could not be restored, so it is no longer set.';
      return { text: '', before: old, after: applied, problem };
    }
    problem.message += ' The old entry point was restored.';
    throw problem;
  }

  async function reread(): Promise<ChangedSettings | undefined> {
    try {
      return pickSettings(await helium.getAppConfig({ ...as, signal: AbortSignal.timeout(rereadTimeoutMs) }), after);
    } catch {
      return undefined;
    }
  }
}
