import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { findRecords, lookAgain } from '@portal/contract/sync/find';
import {
  getHeldRecords,
  getWaitingFiles,
  retryFiles,
  retryHeld,
  skipFiles,
  skipHeld,
} from '@portal/contract/sync/records';
import type { HeldSelection } from '../integration/operator-actions.ts';
import { findLines } from '../portal-store/log.store.ts';
import { wakeRun } from '../portal-store/wake-ups.store.ts';
import { InvalidFields } from './invalid-fields.ts';
import { pageLimit } from './page-limit.ts';
import type { SyncRouter } from './sync-router.ts';

const linesPerRecord = 20;

/** Records and files that wait, and the search for one record. */
export function recordRoutes({ parts, routeTo, logAndWake }: SyncRouter): void {
  const { pool, operations, passwords } = parts;

  routeTo(getHeldRecords, (integration, { input: { after, limit = pageLimit, state } }) =>
    operations.readHeld(integration, { after, limit, state }),
  );

  routeTo(retryHeld, async (integration, { caller, input }) => {
    const records = await operations.retry(integration, toSelection(input));
    await logAndWake(integration, `${caller.user} retried held records: ${records}.`);
    return { records };
  });

  routeTo(skipHeld, async (integration, { caller, input }) => {
    const records = await operations.skip(integration, toSelection(input));
    await logAndWake(integration, `${caller.user} skipped held records: ${records}.`);
    return { records };
  });

  routeTo(getWaitingFiles, (integration, { input: { after, limit = pageLimit } }) =>
    operations.readWaitingFiles(integration, { after, limit }),
  );

  routeTo(retryFiles, async (integration, { caller, input }) => {
    const files = await operations.retryFiles(integration, input.nos ?? null);
    await logAndWake(integration, `${caller.user} retried files: ${files}.`);
    return { files };
  });

  routeTo(skipFiles, async (integration, { caller, input }) => {
    const files = await operations.skipFiles(integration, input.nos);
    await logAndWake(integration, `${caller.user} skipped files: ${files}.`);
    return { files };
  });

  routeTo(findRecords, async (integration, { input: { appId: _, ...search }, signal }) => {
    const journeyPassword = await passwords.read(integration);
    const found = await operations.findRecords(integration, { ...search, journeyPassword }, signal);
    const records: ResponseOf<typeof findRecords>['records'] = [];
    for (const record of found.records) {
      const lines = await findLines(pool, integration.id, record.id, linesPerRecord);
      records.push({
        ...record,
        lines: lines.map(({ millis, key, value }) => ({ at: new Date(millis).toISOString(), level: key, text: value })),
      });
    }
    return { ...found, records, isLoggingIds: integration.config.logRecordIds ?? false };
  });

  routeTo(lookAgain, async (integration, { input }) => {
    await operations.requestLookAgain(integration, input.records);
    await wakeRun(pool, integration.id);
    const when = integration.status === 'Enabled' ? '' : ' when the integration is enabled';
    return { message: `The record is read again on both sides${when}.` };
  });
}

function toSelection({ nos, kind }: RequestOf<typeof retryHeld | typeof skipHeld>): HeldSelection {
  if (nos !== undefined && kind === undefined) return { numbers: nos };
  if (kind !== undefined && nos === undefined) return { kind };
  throw new InvalidFields([{ field: 'nos', reason: 'either record numbers or a kind is required' }]);
}
