/**
 * Records that one side no longer has, without a log that names their deletion: few are deleted on
 * the other side too, about many an operator is asked.
 */
import { randomUUID } from 'node:crypto';
import type { DeletionsQuestion } from '@portal/contract/sync-recovery';
import { trackingColumns, trackingDdl } from '@portal/platforms/helium/simulator/change-log-ddl';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperations } from '../../operations/operations.ts';
import { quickPace } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { waitForLog } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

async function insertRegions(count: number): Promise<void> {
  await world.sql(
    `insert into $s.region (_id_, _tstamp_, name, code)
     select gen_random_uuid(), now() - interval '1 hour', 'region ' || no, no from generate_series(1, $1::int) no`,
    [count],
  );
}

/** As an administrator's repair: neither the change log nor foreign keys notice. */
async function deleteUnlogged(condition: string): Promise<void> {
  const session = await world.helium.connect();
  await session.query(`set session_replication_role = replica; delete from ${condition}`);
}

async function compare(run: { wake(): void }): Promise<void> {
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
}

const operations = () => createOperations(world.databases, quickPace());

async function readQuestion(): Promise<DeletionsQuestion> {
  const question = await operations().readQuestion(world.integration);
  if (question?.kind !== 'deletions') throw new Error('No question about deletions is open.');
  return question;
}

async function answer(choice: 'keep' | 'delete'): Promise<void> {
  const { id: questionId } = await readQuestion();
  const accepted = await operations().answerQuestion(world.integration, {
    questionId,
    answer: choice,
    fence: world.nextFence(),
  });
  expect(accepted).toBe(true);
}

const countRegions = (rows: object) => Object.keys(rows).filter((key) => key.startsWith('region/')).length;
const inHelium = async () => countRegions(await world.heliumRows());
const inJourney = async () => countRegions(await world.journeyRows());

test('asks before a comparison deletes what TRUNCATE removed, and deletes nothing until then', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  await world.sql('truncate $s.region cascade');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
  const question = await readQuestion();
  expect(question).toMatchObject({ side: 'journey', table: 'region', known: 300, absent: 300 });
  expect(question.sample).toHaveLength(100);
  expect(question.sample[0]?.values).toEqual({ name: expect.stringContaining('region'), code: expect.any(Number) });
  // Until it is answered, each new run halts at once.
  expect(await world.start().ended).toEqual({ outcome: 'halted', reason: question.reason, position: '' });
});

async function dropAndCreateRegion(): Promise<void> {
  const columns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', 'name text', 'code integer unique'];
  await world.sql('drop table $s.region cascade');
  await waitForLog(world, /SEVERE region is paused until its integration is saved/);
  const session = await world.helium.connect();
  await session.query(`create table region (${[...columns, ...trackingColumns].join(', ')}); ${trackingDdl('region')}`);
}

test('deletes nothing in Journey when a table is dropped and created again and no operator saves', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  await dropAndCreateRegion();
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
});

test('deletes nothing in Journey when a table is dropped and created again and its integration is saved', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  await world.sql('drop table $s.region cascade');
  await waitForLog(world, /SEVERE region is paused until its integration is saved/);
  await run.stop();
  const columns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', 'name text', 'code integer unique'];
  const session = await world.helium.connect();
  await session.query(`create table region (${[...columns, ...trackingColumns].join(', ')}); ${trackingDdl('region')}`);
  Object.assign(world.integration, { configVersion: 2 });
  expect(await world.start().ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
});

test('deletes nothing in Journey when a table is dropped and created again in one transaction', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  const columns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', 'name text', 'code integer unique'];
  const session = await world.helium.connect();
  await session.query(
    `begin; drop table region cascade; create table region (${[...columns, ...trackingColumns].join(', ')}); ${trackingDdl('region')}; commit`,
  );
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
});

test('asks when Helium archived rows while only Journey → Helium was on, and both directions are switched on', async () => {
  await insertRegions(50);
  const both = world.start();
  await world.waitUntilEqual();
  await both.stop();
  const fromJourney = world.start((config) => ({ ...config, enableHeliumToJourney: false }));
  await waitForLog(world, /INFO Running/);
  await world.sql('delete from $s.region');
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id, note: 'synced' } });
  await expect.poll(async () => Object.keys(await world.heliumRows())).toEqual([`visit/${id}`]);
  await fromJourney.stop();
  expect(await world.start().ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(50);
});

test('deletes nothing when Journey lists no objects for a moment', async () => {
  await insertRegions(30);
  const run = world.start();
  await world.waitUntilEqual();
  await world.journeySql('create table kept as table object; delete from object');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inHelium()).toBe(30);
  await world.journeySql('insert into object table kept');
  await answer('keep');
  const again = world.start();
  await world.waitUntilEqual();
  await compare(again);
  await waitForLog(world, /INFO Compared region: 30 records, all equal/);
  expect([await inHelium(), await inJourney()]).toEqual([30, 30]);
  expect(await world.conflicts()).toEqual([]);
});

test('does not empty an object of 20 records unasked', async () => {
  await insertRegions(20);
  const run = world.start();
  await world.waitUntilEqual();
  await deleteUnlogged('region');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(20);
});
