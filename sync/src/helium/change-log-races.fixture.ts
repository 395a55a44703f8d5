/** Interleavings of two or three sessions, each of which defeats a plausible but wrong reader. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { trackingColumns, trackingDdl } from '@portal/simulators/helium/change-log-ddl';
import type pg from 'pg';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { Follower } from './follower.fixture.ts';
import { createHeliumFixture, type HeliumFixture, newId } from './helium-gateway.fixture.ts';

const textField = { column: 'name', field: 'name', kind: 'text' } as const;
const object = (table: string): ObjectMap => ({
  table,
  model: table,
  fields: [textField],
  toJourney: true,
  toHelium: true,
});
export const raceObjects = [object('region'), object('slow'), object('late')];

const objectColumns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', 'name text', ...trackingColumns].join();

/**
 * A writer into `slow` or `late` draws its number and then waits for this advisory lock before it
 * logs anything.
 */
const gate = 4711;

export function createRaceFixture(serverUrl?: string): Promise<HeliumFixture> {
  return createHeliumFixture({
    tables: { region: ['name text'], slow: ['name text'] },
    sql: `create function wait_at_gate() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(${gate}); return new; end $$;
      create trigger gate before insert on slow for each row execute function wait_at_gate();
      create table late (${objectColumns}); create trigger gate before insert on late
        for each row execute function wait_at_gate();`,
    ...(serverUrl !== undefined && { serverUrl }),
  });
}

interface Stage {
  readonly fixture: HeliumFixture;
  readonly a: pg.Client;
  readonly b: pg.Client;
  readonly c: pg.Client;
  readonly follower: Follower;
}

export type Race = (stage: Stage) => Promise<void>;

const insertInto = (table: string, id = newId()) =>
  `insert into ${table} (_id_, _tstamp_, name) values ('${id}', now() at time zone 'UTC', 'x')`;

/** Resolves when the session waits for a lock held by another one. */
async function untilBlocked({ fixture }: Stage, session: pg.Client): Promise<void> {
  const pid = 'processID' in session ? session.processID : null;
  for (;;) {
    const { rows } = await fixture.pool.query('select from pg_stat_activity where pid = $1 and wait_event_type = $2', [
      pid,
      'Lock',
    ]);
    if (rows.length > 0) return;
    await pause(2);
  }
}

const lowerNumberCommitsLater: Race = async ({ a, b, follower }) => {
  await a.query(`begin; ${insertInto('region')}`);
  await b.query(insertInto('region'));
  await follower.poll();
  await a.query('commit');
};

const olderTransactionDrawsLater: Race = async ({ a, b, follower }) => {
  await b.query('begin; select txid_current()');
  await a.query(`begin; ${insertInto('region')}`);
  await b.query(`${insertInto('region')}; commit`);
  await follower.poll();
  await a.query('commit');
};

const drawnAndNotLogged: Race = async (stage) => {
  const { a, b, c, follower } = stage;
  await c.query(`begin; select pg_advisory_xact_lock(${gate})`);
  const inserted = a.query(insertInto('slow'));
  await untilBlocked(stage, a);
  await b.query(insertInto('region'));
  await follower.poll();
  await c.query('commit');
  await inserted;
};

const writerBetweenTwoQueries: Race = async ({ a, b, follower }) => {
  await follower.poll(async () => {
    await a.query(`begin; ${insertInto('region')}`);
    await b.query(insertInto('region'));
  });
  await a.query('commit');
};

const prepared: Race = async ({ a, b, follower }) => {
  await a.query(`begin; ${insertInto('region')}; prepare transaction 'p'`);
  await b.query(insertInto('region'));
  await follower.poll();
  await b.query(`commit prepared 'p'`);
};

/** Afterwards it holds its locks under another name. */
const preparedDuringWait: Race = async ({ a, b, follower, fixture }) => {
  await a.query(`begin; ${insertInto('region')}`);
  await b.query(insertInto('region'));
  await follower.poll();
  await a.query(`prepare transaction 'p'`);
  await untilAsked(fixture, 3);
  await b.query(`commit prepared 'p'`);
};

/**
 * Resolves when the reader, alone on its pool, has received this many more responses: the first may
 * have been on its way already.
 */
async function untilAsked({ pool }: HeliumFixture, times: number): Promise<void> {
  for (let had = 0; had < times; had += 1) await once(pool, 'release');
}

/**
 * Neither the table nor its triggers are visible, and the log is not touched before the end of the
 * statement.
 */
const tableBeingCreated: Race = async (stage) => {
  const { a, b, c, follower } = stage;
  await c.query(`begin; select pg_advisory_xact_lock(${gate})`);
  await a.query(`begin; alter table slow rename to slower; create table slow (${objectColumns});
    ${trackingDdl('slow')};
    create trigger gate before insert on slow for each row execute function wait_at_gate();`);
  const inserted = a.query(insertInto('slow'));
  await untilBlocked(stage, a);
  await b.query(insertInto('region'));
  await follower.poll();
  await c.query('commit');
  await inserted;
  await a.query('commit');
};

/**
 * The triggers are not visible, and their creation needs no lock that the session does not hold.
 */
const trackedUnderStrongerLock: Race = async (stage) => {
  const { a, b, c, follower } = stage;
  await c.query(`begin; select pg_advisory_xact_lock(${gate})`);
  await a.query(`begin; lock table late in access exclusive mode; ${trackingDdl('late')}`);
  const inserted = a.query(insertInto('late'));
  await untilBlocked(stage, a);
  await b.query(insertInto('region'));
  await follower.poll();
  await c.query('commit');
  await inserted;
  await a.query('commit');
};

/** The create draws its number before the delete has finished; the log says create, delete. */
const deletedAndRecreated: Race = async (stage) => {
  const { a, b, c, follower } = stage;
  const [again, locked] = [newId(), newId()];
  await a.query(insertInto('region', again));
  await a.query(insertInto('region', locked));
  await follower.poll();
  await c.query(`begin; select from region where _id_ = '${locked}' for update`);
  const deleted = b.query('delete from region');
  await untilBlocked(stage, b);
  const inserted = a.query(insertInto('region', again));
  await untilBlocked(stage, a);
  await c.query('commit');
  await deleted;
  await inserted;
};

export const races = {
  'a lower number commits later': lowerNumberCommitsLater,
  'an older transaction draws later': olderTransactionDrawsLater,
  'a number is drawn and nothing logged yet': drawnAndNotLogged,
  'a writer starts between two queries': writerBetweenTwoQueries,
  'a transaction is prepared': prepared,
  'a transaction is prepared during the wait': preparedDuringWait,
  'a table is being created': tableBeingCreated,
  'a table that was locked before becomes tracked': trackedUnderStrongerLock,
  'a record is deleted and re-created at once': deletedAndRecreated,
} as const satisfies Record<string, Race>;
