import { mergeSchedule, resolveSchedule } from '@portal/contract/deployments';
import type { ResponseOf } from '@portal/contract/endpoint';
import { getRelease, markReleaseStep } from '@portal/contract/release-page';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { refreshEvery, useCall } from '../../../api/use-call.ts';
import { showProblem } from '../../../ui/popups.ts';

const refreshMs = 15_000;

export type Release = ResponseOf<typeof getRelease>;

/** Loads a release and refreshes it while the page is visible, so that marks of others appear. */
export function useRelease(scheduleId: string, isAllowed: boolean) {
  return useCall(getRelease, undefined, {
    params: { scheduleId },
    invalidatedBy: [mergeSchedule, resolveSchedule, markReleaseStep],
    enabled: isAllowed,
    refetchOnWindowFocus: 'always',
    refetchInterval: refreshEvery(refreshMs),
  });
}

export interface StepMark {
  readonly step: string;
  readonly isDone: boolean;
}

/** Marks a step as done or not; pending until the release has been reloaded. */
export function useMarkStep(scheduleId: string) {
  return useMutation({
    mutationFn: (mark: StepMark) => call(markReleaseStep, mark, { params: { scheduleId } }),
    onError: (problem) => showProblem('Problem marking the step.', problem),
    meta: { changes: [markReleaseStep] },
  });
}
