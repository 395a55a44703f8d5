import { randomUUID } from 'node:crypto';
import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { expect, onTestFinished, test } from 'vitest';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import { expectAtRest, insertRegion, regionFields, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld } from '../../testing/sync-world.fixture.ts';

const [version] = findTestVersions();

test('waits for a prepared transaction to be committed, and shows it as the lock holder', async () => {
  if (!version) throw new Error('PostgreSQL is not available.');
  const server = await version.startExclusive({ max_prepared_transactions: '5' });
  onTestFinished(() => server.stop());
  const world = await createSyncWorld({ serverUrl: server.url });
  onTestFinished(() => world.stop());
  const writer = await world.helium.connect();
  world.start();
  // Until then it reads everything, whatever is in the log.
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
  const id = randomUUID();
  await writer.query('begin');
  await writer.query(`insert into ${schema}.region (_id_, _tstamp_, name) values ($1, now(), 'prepared')`, [id]);
  await writer.query(`prepare transaction 'portal-sync-test'`);
  const after = await insertRegion(world, 'after it');
  await waitUntil(() => world.figures().horizonHolder?.pid === null);
  expect(await world.journeyRows()).toEqual({});
  await writer.query(`commit prepared 'portal-sync-test'`);
  await expectAtRest(world, {
    [`region/${id}`]: regionFields('prepared'),
    [`region/${after}`]: regionFields('after it'),
  });
  await waitUntil(() => world.figures().horizonHolder === null);
});

test('shows a prepared transaction that exists when the run starts', async () => {
  if (!version) throw new Error('PostgreSQL is not available.');
  const server = await version.startExclusive({ max_prepared_transactions: '5' });
  onTestFinished(() => server.stop());
  const world = await createSyncWorld({ serverUrl: server.url });
  onTestFinished(() => world.stop());
  const writer = await world.helium.connect();
  const before = await insertRegion(world, 'before');
  await writer.query('begin');
  await writer.query(`update ${schema}.region set name = 'prepared' where _id_ = $1`, [before]);
  await writer.query(`prepare transaction 'portal-sync-test'`);
  world.start();
  await waitUntil(() => world.figures().horizonHolder?.pid === null);
  await writer.query(`commit prepared 'portal-sync-test'`);
  await expectAtRest(world, { [`region/${before}`]: regionFields('prepared') });
});
