import { maskedPassword, type SyncConfig } from '@portal/contract/sync-config';
import { getSyncHealth, type SyncIntegration } from '@portal/contract/sync-integration';
import { getJourneyEnvironment } from '@portal/platforms/journey/base-url';
import type { StoredIntegration } from '../integration/integration.ts';

/** Converts an integration to its API representation. */
export function toIntegrationResponse(integration: StoredIntegration, nowMs: number): SyncIntegration {
  const { config, figures, status } = integration;
  const heliumToJourneyLagMs = toLagMs(figures.heliumToJourneyWaitingSinceMs, nowMs);
  const journeyToHeliumLagMs = toLagMs(figures.journeyToHeliumWaitingSinceMs, nowMs);
  const lagMs = Math.max(heliumToJourneyLagMs, journeyToHeliumLagMs);
  return {
    id: integration.appId,
    appName: integration.appName,
    environment: integration.environment,
    dataSource: integration.dataSource,
    status,
    heliumBaseUrl: config.helium.baseUrl,
    journeyBaseUrl: config.journey.baseUrl,
    journeyEnvironment: getJourneyEnvironment(config.journey.baseUrl),
    heliumSyncStatus: directionStatus(integration, config.enableHeliumToJourney, figures.heliumSyncStatus),
    journeySyncStatus: directionStatus(integration, config.enableJourneyToHelium, figures.journeySyncStatus),
    heliumLastUpdated: figures.heliumLastUpdatedMs,
    journeyLastUpdated: figures.journeyLastUpdatedMs,
    lastPinged: figures.lastPingedMs,
    journeyUserName: config.journey.restAPICredentials.userName,
    journeyPassword: maskedPassword,
    health: getSyncHealth({ status, lastPingedMs: figures.lastPingedMs, lagMs, nowMs }),
    heliumToJourneyLagMs,
    journeyToHeliumLagMs,
    haltReason: integration.haltReason,
    haltedSince: integration.haltedSince,
    needsDecision: status !== 'Enabled' && figures.needsDecision,
    changeLogVersion: figures.changeLogVersion,
    oplogVersion: figures.oplogVersion,
    waiting: figures.waiting,
    parked: figures.parked,
    deadLetters: figures.deadLetters,
    skipped: figures.skipped,
    conflicts: figures.conflicts,
    horizonHeldBy: status === 'Enabled' ? figures.horizonHeldBy : null,
    changedAt: integration.changedAt,
    changedBy: integration.changedBy,
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

export function toLagMs(waitingSinceMs: number | null, nowMs: number): number {
  return waitingSinceMs === null ? 0 : Math.max(0, nowMs - waitingSinceMs);
}

/** Returns the status of one direction. The last reported text is outdated when nothing runs. */
function directionStatus({ status }: StoredIntegration, isEnabled: boolean, reported: string): string {
  if (!isEnabled) return 'Off';
  return status === 'Enabled' ? reported : status;
}
