/** Plausible readers of the change log, each of which skips rows for good in its own way. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Reader, ReadRequest } from './follower.fixture.ts';
import { schema } from './helium-gateway.fixture.ts';

const log = `${schema}.__he_sync_obj_change__`;

interface LogRow {
  readonly seq: string;
  readonly table: string;
  readonly id: string;
  readonly change: string;
}

async function readPage({ fixture, cursor }: ReadRequest, condition: string, values: unknown[] = []): Promise<Page> {
  const { rows } = await fixture.pool.query<LogRow>(
    `select seq::text, object_name as table, object_uuid as id, change from ${log}
      where seq > $1 and ${condition} order by __he_sync_obj_change__.seq`,
    [cursor, ...values],
  );
  return { keys: rows, changes: rows, cursor: rows.at(-1)?.seq ?? cursor };
}

const withoutChanges = ({ keys, cursor }: Page): Page => ({ keys, cursor });

const byNumberAlone: Reader = async (request) => {
  await request.duringRead();
  return withoutChanges(await readPage(request, 'true'));
};

const belowXmin: Reader = async (request) => {
  await request.duringRead();
  return withoutChanges(await readPage(request, 'tx_id < txid_snapshot_xmin(txid_current_snapshot())'));
};

interface Fence {
  /** SQL over pg_locks l and its pg_class c. */
  readonly locks: string;
  /** Recognizes transactions that start tracking a table, unless they locked it before. */
  readonly seesTracking?: boolean;
  readonly locksFirst?: boolean;
  /** Misses transactions that hold their locks under another name in the meantime. */
  readonly ignoresPrepared?: boolean;
}

const dataTables = `exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname like '%he_sync_obj%')`;
const logTables = `c.relname like '\\_\\_he\\_sync\\_obj\\_change\\_\\_%'`;

const startsTracking = `(l.mode = 'ShareRowExclusiveLock' and not exists (select from pg_locks stronger
  where stronger.virtualtransaction = l.virtualtransaction and stronger.relation = l.relation
    and stronger.mode = 'AccessExclusiveLock'))`;

const prepared = 'prepared';

/** Waits for the writers that hold such locks, as the correct reader does. */
function behindLocks({ locks, seesTracking = false, locksFirst = false, ignoresPrepared = false }: Fence): Reader {
  return async (request) => {
    const { pool } = request.fixture;
    const writer = `case when l.pid is null then '${prepared}' else l.virtualtransaction end`;
    const held = `array(select distinct ${writer} from pg_locks l join pg_class c on c.oid = l.relation
      where l.granted and ((l.mode = 'RowExclusiveLock' and (${locks})) or ${seesTracking ? startsTracking : 'false'}))`;
    const head = `(select coalesce(max(seq), 0) from ${log})`;
    const askFor = async (what: string) =>
      (await pool.query<{ writers: string[]; head: string }>(`select ${what}`)).rows[0];
    if (!locksFirst) await request.duringRead();
    const locksSeen = await askFor(locksFirst ? `${held} as writers` : `${held} as writers, ${head} as head`);
    if (locksFirst) await request.duringRead();
    const horizon = locksFirst ? (await askFor(`${head} as head`))?.head : locksSeen?.head;
    const isPrepared = (writer: string) => !ignoresPrepared && writer === prepared;
    for (;;) {
      const now = (await askFor(`${held} as writers`))?.writers ?? [];
      if (!now.some((writer) => locksSeen?.writers.includes(writer) || isPrepared(writer))) break;
      request.onHeld();
      await pause(2);
    }
    return withoutChanges(await readPage(request, 'seq <= $2', [horizon]));
  };
}

/** Waits correctly but applies the wrong content. */
const asLogged: Reader = async (request) => {
  await request.duringRead();
  const signal = new AbortController().signal;
  const { cursor } = await request.fixture.gateway.readChangeLog({ ...request, point: null, limit: 100, signal });
  return readPage(request, 'seq <= $2', [cursor]);
};

export const wrongReaders = {
  'by the number alone': byNumberAlone,
  'below xmin': belowXmin,
  'behind locks of the log tables only': behindLocks({ locks: logTables }),
  'locks before the horizon': behindLocks({ locks: `${logTables} or ${dataTables}`, locksFirst: true }),
  'blind to prepared transactions': behindLocks({ locks: `(${logTables} or ${dataTables}) and l.pid is not null` }),
  'ignoring transactions prepared in the meantime': behindLocks({
    locks: `${logTables} or ${dataTables}`,
    ignoresPrepared: true,
  }),
  'blind to tables being created': behindLocks({ locks: `${logTables} or ${dataTables}` }),
  'blind to tables that were locked before': behindLocks({
    locks: `${logTables} or ${dataTables}`,
    seesTracking: true,
  }),
  'applying the change as logged': asLogged,
} as const satisfies Record<string, Reader>;
