import { hasPgbouncer, startPgbouncer } from '@portal/kit/postgres/pgbouncer.fixture';
import { inTransaction } from '@portal/kit/postgres/pool';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { Secret } from '@portal/kit/secret';
import { expect, onTestFinished, test } from 'vitest';
import { withLimitedWaits } from '../helium/limit-waits.ts';
import { HeliumDatabases } from './helium-databases.ts';

/** Checks that this session gives way before any other one checks for a deadlock. */
async function expectToGiveWayFirst(query: (text: string) => Promise<{ readonly rows: unknown[] }>): Promise<void> {
  const { rows } = await query(
    `select current_setting('lock_timeout')::interval > '0' as "isLimited",
       2 * current_setting('lock_timeout')::interval <= current_setting('deadlock_timeout')::interval as "isFirst"`,
  );
  expect(rows).toEqual([{ isLimited: true, isFirst: true }]);
}

async function expectAllToGiveWayFirst(address: string): Promise<void> {
  const dataSources = [{ heliumDataSourceName: 'helium', url: new Secret(address) }];
  const databases = new HeliumDatabases([{ name: 'test', dataSources }], 1);
  onTestFinished(() => databases.stop());
  const { reading: pool } = databases.get('test', 'helium');
  await expectToGiveWayFirst((text: string) => pool.query(text));
  await inTransaction(pool, async (db) => {
    const query = (text: string) => db.query(text);
    await expectToGiveWayFirst(query);
    await withLimitedWaits(db, () => expectToGiveWayFirst(query));
    await expectToGiveWayFirst(query);
  });
}

test('marks its statements, which the statistics of the portal leave out', async () => {
  const dataSources = [{ heliumDataSourceName: 'helium', url: new Secret(getTestPostgresUrl()) }];
  const databases = new HeliumDatabases([{ name: 'test', dataSources }], 1);
  onTestFinished(() => databases.stop());
  const { reading: pool } = databases.get('test', 'helium');
  const { rows } = await pool.query('select query from pg_stat_activity where pid = pg_backend_pid()');
  expect(rows).toEqual([{ query: expect.stringContaining(portalMark) }]);
});

test('gives way to a session of the app before PostgreSQL checks for deadlocks', () =>
  expectAllToGiveWayFirst(getTestPostgresUrl()));

test.skipIf(!hasPgbouncer)('gives way to a session of the app behind a pooler, too', async () => {
  const pgbouncer = await startPgbouncer(getTestPostgresUrl());
  onTestFinished(() => pgbouncer.stop());
  await expectAllToGiveWayFirst(pgbouncer.toPooled(getTestPostgresUrl()));
});
