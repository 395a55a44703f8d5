import { maskedPassword, type SyncConfig } from '@portal/contract/sync/config';
import { getSyncHealth, type SyncBacklog, type SyncIntegration } from '@portal/contract/sync/integration';
import type { SyncDirection } from '@portal/contract/sync/records';
import { getJourneyEnvironment } from '@portal/platforms/journey/base-url';
import { describeLockHolder } from '../helium/describe-lock-holder.ts';
import { toLagMs } from '../integration/figures.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import { describeObstacles } from './describe-obstacles.ts';

/** Converts an integration to its API representation. */
export function toIntegrationResponse(integration: StoredIntegration, nowMs: number): SyncIntegration {
  const { config, figures, status } = integration;
  const response = {
    id: integration.appId,
    appName: integration.appName,
    environment: integration.environment,
    dataSource: integration.dataSource,
    status,
    heliumBaseUrl: config.helium.baseUrl,
    journeyBaseUrl: config.journey.baseUrl,
    journeyEnvironment: getJourneyEnvironment(config.journey.baseUrl),
    heliumSyncStatus: directionStatus(integration, 'helium-to-journey', nowMs),
    journeySyncStatus: directionStatus(integration, 'journey-to-helium', nowMs),
    heliumLastUpdated: figures.heliumLastUpdatedMs,
    journeyLastUpdated: figures.journeyLastUpdatedMs,
    lastPinged: figures.lastPingedMs,
    journeyUserName: config.journey.restAPICredentials.userName,
    journeyPassword: maskedPassword,
    heliumToJourneyLagMs: toLagMs(figures.heliumToJourneyWaitingSinceMs, nowMs),
    journeyToHeliumLagMs: toLagMs(figures.journeyToHeliumWaitingSinceMs, nowMs),
    haltReason: integration.haltReason,
    haltedSince: integration.haltedSince,
    needsDecision: status !== 'Enabled' && figures.needsDecision,
    changeLogVersion: figures.changeLogVersion,
    oplogVersion: figures.oplogVersion,
    waiting: figures.waiting,
    parked: figures.parked,
    deadLetters: figures.deadLetters,
    skipped: figures.skipped,
    keptRows: figures.keptRows,
    conflicts: figures.conflicts,
    waitingFiles: figures.waitingFiles,
    failedFiles: figures.failedFiles,
    rounded: figures.rounded,
    differences: figures.differences,
    mappingWarnings: figures.mappingWarnings,
    pausedObjects: status === 'Enabled' ? figures.pausedObjects : { count: 0, first: [] },
    waitingEnrollment: figures.waitingEnrollment,
    ...getBacklogs(integration),
    horizonHeldBy:
      status === 'Enabled' && figures.horizonHolder ? describeLockHolder(figures.horizonHolder, nowMs) : null,
    changedAt: integration.changedAt,
    changedBy: integration.changedBy,
  };
  return { ...response, health: getSyncHealth(response, nowMs) };
}

/** Returns the backlogs of the directions that are configured. A run reports its lag instead. */
function getBacklogs({ status, config, figures }: StoredIntegration) {
  const show = (isEnabled: boolean, backlog: SyncBacklog) => (isEnabled && status !== 'Enabled' ? backlog : null);
  return {
    changeLogBacklog: show(config.enableHeliumToJourney, figures.changeLogBacklog),
    oplogBacklog: show(config.enableJourneyToHelium, figures.oplogBacklog),
  };
}

/**
 * Returns the configuration that fills the form: the password is masked, and `basedOn` is the last
 * change.
 */
export function toConfigResponse({ config, changedAt }: StoredIntegration): SyncConfig {
  const { journey, heliumToJourney, journeyToHelium } = config;
  const { userName } = journey.restAPICredentials;
  return {
    ...config,
    journey: { ...journey, restAPICredentials: { userName, password: maskedPassword } },
    heliumToJourney: {
      ...heliumToJourney,
      changeLogMinVersion: Number(heliumToJourney.changeLogMinVersionAsString),
    },
    journeyToHelium: { ...journeyToHelium, oplogMinVersion: Number(journeyToHelium.oplogMinVersionAsString) },
    basedOn: changedAt,
  };
}

/**
 * Returns the status of one direction. The last reported text is outdated when nothing runs, and
 * while one of both sides does not answer.
 */
function directionStatus(
  { status, config, figures }: StoredIntegration,
  direction: SyncDirection,
  nowMs: number,
): string {
  const [isEnabled, reported] =
    direction === 'helium-to-journey'
      ? [config.enableHeliumToJourney, figures.heliumSyncStatus]
      : [config.enableJourneyToHelium, figures.journeySyncStatus];
  if (!isEnabled) return 'Off';
  if (status !== 'Enabled') return status;
  const { unansweredSinceMs, heliumUnansweredSinceMs } = figures;
  const sinceMs = heliumUnansweredSinceMs ?? unansweredSinceMs;
  if (sinceMs === null && isReading(reported)) return describeObstacles(figures, direction, nowMs) ?? reported;
  if (sinceMs === null || reported.startsWith('Waiting')) return reported;
  const side = heliumUnansweredSinceMs === null ? 'Journey' : "Helium's database";
  return `Waiting for an answer from ${side} since ${Math.max(0, Math.round((nowMs - sinceMs) / 1000))} s`;
}

const isReading = (state: string) => state === 'Live' || state === 'Catching up';
