/** Why an integration needs attention, in the same words on every screen. */
import { maxCountedConflicts } from './conflicts.ts';
import { type SyncIntegration, syncHealthRule, workingStates } from './integration.ts';

export interface SyncCause {
  readonly kind: 'delay' | 'obstacle' | 'backlog' | 'held' | 'conflicts';
  /** A sentence, or several. */
  readonly text: string;
}

/**
 * Returns what makes an integration late or stale, and what waits for people in it, the most urgent
 * first. Why it is halted is in its halt reason.
 */
export function listSyncCauses(integration: SyncIntegration, nowMs: number): SyncCause[] {
  const { status } = integration;
  const isEnabled = status === 'Enabled';
  const sentences: readonly (readonly [SyncCause['kind'], readonly string[]])[] = [
    ['delay', isEnabled ? describeDelay(integration, nowMs) : []],
    ['obstacle', describeObstacle(integration)],
    ['backlog', status === 'Disabled' ? describeBacklog(integration) : []],
    ['held', describeHeld(integration)],
    ['conflicts', describeConflicts(integration)],
  ];
  return sentences.flatMap(([kind, texts]) => (texts.length === 0 ? [] : [{ kind, text: texts.join(' ') }]));
}

function describeDelay(integration: SyncIntegration, nowMs: number): string[] {
  const { heliumToJourneyLagMs, journeyToHeliumLagMs, lastPinged } = integration;
  const worstMs = Math.max(heliumToJourneyLagMs, journeyToHeliumLagMs);
  if (worstMs >= 60_000) {
    const direction = heliumToJourneyLagMs >= journeyToHeliumLagMs ? 'to Journey' : 'to Helium';
    return [`Changes ${direction} have been waiting for ${formatDuration(worstMs)}.`];
  }
  const isSilent = lastPinged === null || nowMs - lastPinged > syncHealthRule.lateAfterMs;
  return isSilent ? ['Its platforms are not responding.'] : [];
}

/** Returns nothing while both directions work, or are as the status states. */
function describeObstacle(integration: SyncIntegration): string[] {
  const { status, heliumSyncStatus, journeySyncStatus, horizonHeldBy } = integration;
  const isWorking = (state: string) => workingStates.includes(state) || state === status;
  const texts = new Set([heliumSyncStatus, journeySyncStatus].filter((state) => !isWorking(state)));
  if (horizonHeldBy !== null) texts.add(`Change log ${horizonHeldBy}`);
  return [...texts].map((text) => (text.endsWith('.') ? text : `${text}.`));
}

function describeBacklog(integration: SyncIntegration): string[] {
  const { changeLogBacklog, oplogBacklog, heliumToJourneyLagMs, journeyToHeliumLagMs } = integration;
  const entries = (changeLogBacklog?.entries ?? 0) + (oplogBacklog?.entries ?? 0);
  if (entries > 0) return [`Log entries that wait until it is enabled: ${formatCount(entries)}.`];
  const isWaiting =
    changeLogBacklog !== null || oplogBacklog !== null || heliumToJourneyLagMs + journeyToHeliumLagMs > 0;
  return isWaiting ? ['Changes wait until it is enabled.'] : [];
}

function describeHeld(integration: SyncIntegration): string[] {
  const { deadLetters, waiting, parked, skipped, waitingFiles, failedFiles, waitingEnrollment } = integration;
  const { pausedObjects } = integration;
  const counts = [
    [deadLetters, deadLetters === 1 ? 'dead letter' : 'dead letters'],
    [waiting, 'waiting'],
    [parked, 'parked'],
    [skipped, 'skipped'],
  ] as const;
  const texts = counts.filter(([count]) => count > 0).map(([count, name]) => `${formatCount(count)} ${name}`);
  const files = Math.max(waitingFiles, failedFiles);
  const failed = failedFiles === 0 ? '' : `, of which ${formatCount(failedFiles)} failed`;
  return [
    ...(texts.length === 0 ? [] : [`Records not in sync: ${texts.join(', ')}.`]),
    ...(files === 0 ? [] : [`Files not synced yet: ${formatCount(files)}${failed}.`]),
    ...(waitingEnrollment === 0 ? [] : [`Waiting in enrollment: ${formatCount(waitingEnrollment)}.`]),
    ...(pausedObjects.count === 0 ? [] : [`Paused objects: ${formatCount(pausedObjects.count)}.`]),
  ];
}

function describeConflicts({ conflicts }: SyncIntegration): string[] {
  if (conflicts === 0) return [];
  const count = Math.min(conflicts, maxCountedConflicts);
  return [`Conflicts that no one has reviewed: ${formatCount(count)}${count < conflicts ? ' or more' : ''}.`];
}

function formatCount(count: number): string {
  return count.toLocaleString('en');
}

function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `${Math.floor(minutes / 60)} hours`;
}
