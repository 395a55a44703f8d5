import type { Schedule } from '@portal/contract/deployments';
import { outcomeLabels } from '@portal/contract/deployments-fields';
import type { ResponseOf } from '@portal/contract/endpoint';
import type { getStatusHistory } from '@portal/contract/sync/integration';
import type { Tone } from '../../../ui/tone.ts';

type StatusChange = ResponseOf<typeof getStatusHistory>[number];

/** Something that may explain a change of throughput or lag. */
export interface ActivityMark {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
}

const statusTones = { Enabled: 'success', Disabled: 'warning', Halted: 'danger' } as const;

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns status changes, saves and deployments of the app so far in a period, the latest first.
 */
export function listMarks(
  { history, schedules, appId }: { history: readonly StatusChange[]; schedules: readonly Schedule[]; appId: string },
  { fromMs, toMs }: Period,
  nowMs: number,
): ActivityMark[] {
  return [...history.map(toStatusMark), ...schedules.filter(hasHappened(appId, nowMs)).map(toDeploymentMark)]
    .filter(({ at }) => at >= fromMs && at <= toMs)
    .sort((one, other) => other.at - one.at);
}

function toStatusMark({ at, status, by, reason }: StatusChange): ActivityMark {
  const mark = { at: Date.parse(at), tone: statusTones[status], title: status, text: `by ${by}` };
  // A save states the status that follows.
  if (reason === 'saved' || reason === 'created')
    return { ...mark, tone: 'neutral', title: `Configuration ${reason}`, text: `by ${by}, ${status.toLowerCase()}` };
  return reason === null ? mark : { ...mark, text: `by ${by}: ${reason}` };
}

function hasHappened(appId: string, nowMs: number): (schedule: Schedule) => boolean {
  return ({ appIds, outcome, deploymentDate }) =>
    appIds.includes(appId) && outcome !== 'calledOff' && Date.parse(deploymentDate) <= nowMs;
}

function toDeploymentMark({ deploymentDate, releaseName, team, outcome }: Schedule): ActivityMark {
  const outcomeText = outcome === null ? '' : `, ${outcomeLabels[outcome].toLowerCase()}`;
  return {
    at: Date.parse(deploymentDate),
    tone: outcome === 'rolledBack' ? 'warning' : 'primary',
    title: 'Deployment',
    text: `${releaseName} of ${team}${outcomeText}`,
  };
}
