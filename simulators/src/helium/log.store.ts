/**
 * Stores an app's log in its `__logging_log__` in batches, shortly after the sockets received it,
 * and deletes the oldest rows.
 */
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Pool } from '@portal/kit/postgres/pool';
import type { StampedRecord } from './log-record.ts';

const flushAfterMs = 100;
const retryAfterMs = 1_000;
const rowsPerStatement = 5_000;
/** The limit while the database cannot be reached; above it the oldest records are lost. */
const maxWaitingRecords = 200_000;
const pruneEveryRows = 20_000;

export interface LogStore {
  add(records: readonly StampedRecord[]): void;
  /** Resolves when everything added is in the table; throws when it cannot be written. */
  flush(): Promise<void>;
  /** Writes the waiting records if possible. */
  close(): Promise<void>;
}

export function createLogStore(pool: Pool, { maxStoredRows } = { maxStoredRows: 100_000 }): LogStore {
  let waiting: StampedRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let sincePrune = pruneEveryRows;
  let closed = false;

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, rowsPerStatement);
      await insert(pool, batch).catch((error: unknown) => {
        waiting = [...batch, ...waiting];
        throw error;
      });
      sincePrune += batch.length;
      if (sincePrune < pruneEveryRows) continue;
      sincePrune = 0;
      await prune(pool, maxStoredRows);
    }
  };
  const flush = () => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const flushLater = (afterMs: number) => {
    if (timer !== undefined || closed) return;
    timer = setTimeout(() => {
      timer = undefined;
      flush().catch(() => flushLater(retryAfterMs));
    }, afterMs);
    timer.unref();
  };

  return {
    add(records) {
      for (const record of records) waiting.push(record);
      if (waiting.length > maxWaitingRecords) waiting = waiting.slice(-maxWaitingRecords);
      flushLater(flushAfterMs);
    },
    async flush() {
      // A write in progress may not include the records added since it started.
      await flush();
      await flush();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await flush().catch(() => undefined);
    },
  };
}

/** May repeat a batch whose response was lost; ids prevent duplicates. */
async function insert(pool: Pool, records: readonly StampedRecord[]): Promise<void> {
  await pool.query(
    namedQuery(
      'log-insert',
      `insert into __logging_log__ (_id_, _tstamp_, userid, key, value, time)
           select id, at, null, key, value, at
           from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as line (id, key, value, micros),
                lateral (select timestamp 'epoch' + micros * interval '1 microsecond') as moment (at)
           on conflict do nothing`,
      [
        records.map(({ id }) => id),
        records.map(({ key }) => key),
        records.map(({ value }) => value.replaceAll('\0', '')),
        records.map(({ micros }) => micros),
      ],
    ),
  );
}

async function prune(pool: Pool, maxStoredRows: number): Promise<void> {
  await pool.query(
    `delete from __logging_log__
     where time <= (select time from __logging_log__ order by time desc offset ${maxStoredRows} limit 1)`,
  );
}
