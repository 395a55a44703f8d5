import { createPool } from '@portal/kit/postgres/pool';
import { changeLogDdl } from '@portal/simulators/helium/change-log-ddl';
import { expect, test } from 'vitest';
import { createHeliumFixture, newId, schema } from './helium-gateway.fixture.ts';
import { readBacklogs } from './read-backlogs.ts';
import { changeLog, changeSequence } from './sql-names.ts';

test('counts the entries of other apps while the change log of one is locked', async () => {
  const fixture = await createHeliumFixture({ tables: { region: ['name text'] } });
  const locked = 'locked__app_001';
  const session = await fixture.connect();
  await session.query(`create schema ${locked}; set search_path to ${locked}; ${changeLogDdl(locked)}`);
  await session.query('select nextval($1)', [`${locked}.${changeSequence}`]);
  await session.query(`begin; lock table ${locked}.${changeLog} in access exclusive mode`);
  await fixture.pool.query(`insert into ${schema}.region (_id_, _tstamp_) values ($1, now())`, [newId()]);
  const pool = createPool(fixture.url, { applicationName: 'backlogs', lockTimeoutMs: 50 });
  const positions = [locked, 'gone__app_001', schema].map((name) => ({ schema: name, version: '0' }));
  expect(await readBacklogs({ reading: pool, asApp: () => pool }, positions)).toEqual([
    null,
    null,
    { entries: 1, sinceMs: null },
  ]);
  await session.query('rollback');
  expect(await readBacklogs({ reading: pool, asApp: () => pool }, positions)).toMatchObject([
    { entries: 0 },
    null,
    { entries: 1 },
  ]);
  await pool.end();
  await fixture.drop();
});
