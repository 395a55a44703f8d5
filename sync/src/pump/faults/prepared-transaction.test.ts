import { randomUUID } from 'node:crypto';
import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { expect, onTestFinished, test } from 'vitest';
import { schema } from '../../helium/helium-gateway.fixture.ts';
import { createSyncWorld } from '../testing/sync-world.fixture.ts';
import { expectAtRest, insertRegion, regionOf, until } from './fault-steps.fixture.ts';

const [version] = findTestVersions();

test('a prepared transaction holds the log until it is committed, and shows', async () => {
  if (!version) throw new Error('There is no PostgreSQL to start.');
  const server = await version.startAlone({ max_prepared_transactions: '5' });
  onTestFinished(() => server.stop());
  const world = await createSyncWorld({ serverUrl: server.url });
  onTestFinished(() => world.stop());
  const writer = await world.helium.connect();
  world.start();
  // Until then it reads everything there is, whatever the log says.
  await until(() => world.figures().heliumSyncStatus === 'Live');
  const id = randomUUID();
  await writer.query('begin');
  await writer.query(`insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), 'prepared')`, [id]);
  await writer.query(`prepare transaction 'portal-sync-test'`);
  const after = await insertRegion(world, 'after it');
  await until(() => world.figures().horizonHeldBy?.includes('a prepared transaction'));
  expect(await world.journeyRows()).toEqual({});
  await writer.query(`commit prepared 'portal-sync-test'`);
  await expectAtRest(world, { [`region/${id}`]: regionOf('prepared'), [`region/${after}`]: regionOf('after it') });
  await until(() => world.figures().horizonHeldBy === null);
});

test('one that is there when it begins shows as well', async () => {
  if (!version) throw new Error('There is no PostgreSQL to start.');
  const server = await version.startAlone({ max_prepared_transactions: '5' });
  onTestFinished(() => server.stop());
  const world = await createSyncWorld({ serverUrl: server.url });
  onTestFinished(() => world.stop());
  const writer = await world.helium.connect();
  const before = await insertRegion(world, 'before');
  await writer.query('begin');
  await writer.query(`update ${schema}.region set name = 'prepared' where _id_ = $1`, [before]);
  await writer.query(`prepare transaction 'portal-sync-test'`);
  world.start();
  await until(() => world.figures().horizonHeldBy?.includes('a prepared transaction'));
  await writer.query(`commit prepared 'portal-sync-test'`);
  await expectAtRest(world, { [`region/${before}`]: regionOf('prepared') });
});
