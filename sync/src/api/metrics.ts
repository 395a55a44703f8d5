import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type Figures, toLagMs } from '../integration/figures.ts';
import { readStatuses } from '../portal-store/status.store.ts';
import type { ServiceParts } from '../setup/service-parts.ts';
import type { FigureWriter } from '../supervisor/figure-writer.ts';
import type { LogTails } from './log-tails.ts';

export interface MetricSources {
  readonly figureWriter: FigureWriter;
  readonly tails: LogTails;
}

/**
 * Creates the metrics: figures of each integration that runs in this process, and the status of all
 * integrations.
 */
export function createMetrics({ pool }: ServiceParts, { figureWriter, tails }: MetricSources): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const perIntegration = (name: string, help: string, values: (figures: Figures) => Readonly<Record<string, number>>) =>
    new Gauge({
      name,
      help,
      labelNames: ['environment', 'app', 'kind'],
      registers,
      collect() {
        this.reset();
        for (const { integration, figures } of figureWriter.entries) {
          const { environment, appId: app } = integration;
          for (const [kind, value] of Object.entries(values(figures))) this.set({ environment, app, kind }, value);
        }
      },
    });
  perIntegration('sync_lag_seconds', 'Age of the oldest waiting change, by direction', (figures) => ({
    helium_to_journey: toLagMs(figures.heliumToJourneyWaitingSinceMs, Date.now()) / 1000,
    journey_to_helium: toLagMs(figures.journeyToHeliumWaitingSinceMs, Date.now()) / 1000,
  }));
  perIntegration('sync_carried_records', 'Records synced since the run started, by direction', (figures) => ({
    helium_to_journey: figures.syncedToJourney,
    journey_to_helium: figures.syncedToHelium,
  }));
  perIntegration(
    'sync_held_records',
    'Records that are not in sync, by kind',
    ({ waiting, parked, deadLetters: dead, skipped, keptRows: kept }) => ({ waiting, parked, dead, skipped, kept }),
  );
  perIntegration('sync_conflicts', 'Conflicts that no one has reviewed', ({ conflicts }) => ({
    open: conflicts,
  }));
  perIntegration(
    'sync_waiting_files',
    'Files of Journey that Helium does not have yet, by kind: failed ones could not be fetched or written',
    ({ waitingFiles, failedFiles }) => ({ waiting: waitingFiles - failedFiles, failed: failedFiles }),
  );
  perIntegration(
    'sync_rounded_records',
    'Records with decimals that have more digits in Helium than Journey can hold',
    ({ rounded }) => ({ rounded }),
  );
  perIntegration(
    'sync_different_records',
    'Records that differ on a side whose changes are not read, as the last comparison found',
    ({ differences }) => ({ left: differences }),
  );
  perIntegration(
    'sync_mapping_warnings',
    'Fields that are not synced although both sides have them, and columns that reject new records from Journey',
    ({ mappingWarnings }) => ({ warnings: mappingWarnings.count }),
  );
  perIntegration(
    'sync_paused_objects',
    'Objects that are not synced until the integration is saved, because their data model has lost something',
    ({ pausedObjects }) => ({ paused: pausedObjects.count }),
  );
  perIntegration(
    'sync_waiting_enrollment',
    'Requests and rows of enrollment that wait; a list of users that could not be written counts as one',
    ({ waitingEnrollment }) => ({ waiting: waitingEnrollment }),
  );
  new Gauge({
    name: 'sync_status',
    help: '1 for the current status of each integration, whichever process runs it',
    labelNames: ['environment', 'app', 'status'],
    registers,
    async collect() {
      const all = await readStatuses(pool);
      this.reset();
      for (const { environment, appId: app, status } of all) this.set({ environment, app, status }, 1);
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('sync_running_integrations', 'Integrations that run in this process', () => figureWriter.entries.length);
  gauge('sync_log_viewers', 'Open log sessions', () => tails.viewers.length);
  gauge('sync_log_buffered_bytes', 'Bytes queued for log viewers and not sent yet', () =>
    tails.viewers.reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0),
  );
  return registry;
}
