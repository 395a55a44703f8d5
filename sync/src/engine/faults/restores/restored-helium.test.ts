/**
 * Helium's tables and change log go back to an earlier copy, and the engine's state does not. No
 * one acts: nothing is deleted or undone in Journey, and an operator is asked.
 */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { SchemaCopy } from '@portal/kit/postgres/schema-copy.fixture';
import { describe, expect, test } from 'vitest';
import type { Fields } from '../../../record/fields.ts';
import { readQuestion } from '../../../sync-state/questions.store.ts';
import {
  backUpHelium,
  recreateHelium,
  recreateRegionTable,
  restoreHelium,
  restoreHeliumAndState,
} from '../../testing/backups.fixture.ts';
import { createWorldForEachTest, world } from '../../testing/each-world.fixture.ts';
import {
  expectAtRest,
  expectNoEcho,
  insertRegion,
  regionFields,
  renameRegion,
  stopUnanswered,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';

createWorldForEachTest();

const toHeliumOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableHeliumToJourney: false });
const toJourneyOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableJourneyToHelium: false });

const question = async () => {
  const { rows } = await world.sql('select state_id from __portal_sync__.run');
  return (await readQuestion(world.helium.pool, rows[0]?.state_id))?.question;
};

/** A region per letter, and a copy of Helium as of the first one. */
async function makeHistory(): Promise<{
  readonly a: string;
  readonly copy: SchemaCopy;
  readonly journey: Record<string, Fields>;
}> {
  const a = await insertRegion(world, 'A');
  await world.waitUntilEqual();
  const copy = await backUpHelium(world);
  await insertRegion(world, 'B');
  await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'C' } });
  await world.edit({ method: 'patch', object: { type: 'region', id: a, name: 'A by a device' } });
  await world.waitUntilEqual();
  return { a, copy, journey: await world.journeyRows() };
}

async function expectQuestion(ended: Promise<unknown>, evidence: RegExp): Promise<void> {
  expect(await ended).toMatchObject({ outcome: 'halted', reason: expect.stringMatching(evidence) });
  expect(await question()).toMatchObject({ kind: 'restored', side: 'helium', reason: expect.stringMatching(evidence) });
}

const insertSql = (count: number) =>
  `insert into region (_id_, _tstamp_, name) select gen_random_uuid(), now(), 'later' from generate_series(1, ${count})`;

describe('changes nothing in Journey and asks when, under a running integration, Helium', () => {
  test('loses its schema for a moment, and gets an earlier copy', async () => {
    const run = world.startWithRestarts();
    const { copy, journey } = await makeHistory();
    await world.sql('alter schema $s rename to away');
    await waitUntil(() => run.interruptions.length > 0 || world.log.some((line) => line.includes('is paused')));
    await world.sql('drop schema away cascade');
    await recreateHelium(world, copy);
    await expectQuestion(run.ended, /restored|created again/);
    expect(await world.journeyRows()).toEqual(journey);
    expect(await world.conflicts()).toEqual([]);
  });

  test('gets an earlier copy with later inserts in one transaction, which reuse the numbers', async () => {
    const run = world.startWithRestarts();
    const { copy, journey } = await makeHistory();
    await recreateHelium(world, copy, insertSql(6));
    await expectQuestion(run.ended, /restored|created again/);
    expect(await world.journeyRows()).toEqual(journey);
  });

  test('gets one of its tables from an earlier copy, while its log stays', async () => {
    const run = world.startWithRestarts();
    const { copy, journey } = await makeHistory();
    await recreateRegionTable(world, copy);
    await expectQuestion(run.ended, /table region was dropped and created again/);
    expect(await world.journeyRows()).toEqual(journey);
    // The answer covers the table as it is now.
    await world.sql('update __portal_sync__.run set question = null');
    world.start();
    await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
  });

  for (const { name, inserts } of [
    { name: 'are behind the cursor', inserts: 0 },
    { name: 'end at the cursor', inserts: 3 },
    { name: 'have overtaken the cursor', inserts: 11 },
  ])
    test(`gets earlier rows and a log whose numbers ${name}`, async () => {
      const run = world.startWithRestarts();
      const { copy, journey } = await makeHistory();
      await restoreHelium(world, copy, inserts === 0 ? '' : insertSql(inserts));
      // Otherwise nothing would be read for some seconds.
      run.wake();
      await expectQuestion(run.ended, /was restored/);
      expect(await world.journeyRows()).toEqual(journey);
    });
});

test('finds a restore when it starts, before anything is read, also when a version was given', async () => {
  const run = world.start();
  const { copy, journey } = await makeHistory();
  await run.stop();
  await restoreHelium(world, copy);
  await world.sql('update __portal_sync__.run set change_log_cursor = 0, mapping = null');
  await expectQuestion(world.start().ended, /ends at entry 1, and entry \d+ was already read/);
  expect(await world.journeyRows()).toEqual(journey);
  expect(world.log.filter((line) => line.includes('full read'))).toHaveLength(2);
  expect(await question()).toMatchObject({ asOf: expect.any(String) });
  // Nothing runs until it is answered.
  expect(await world.start().ended).toMatchObject({ outcome: 'halted', reason: expect.stringContaining('restored') });
});

test('finds a restore before a comparison repairs anything', async () => {
  const run = world.start();
  const { copy, journey } = await makeHistory();
  await restoreHelium(world, copy, insertSql(11));
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
  await expectQuestion(run.ended, /was restored/);
  expect(await world.journeyRows()).toEqual(journey);
});

test('does not halt when the whole database was restored with its state, and loses nothing', async () => {
  const run = world.startWithRestarts();
  const { a, copy } = await makeHistory();
  await run.stop();
  await restoreHeliumAndState(world, copy);
  world.startWithRestarts();
  await expectAtRest(world, { [`region/${a}`]: regionFields('A by a device') });
  expect(Object.values(await world.heliumRows()).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['A by a device', 'B', 'C']),
  );
  expect(await question()).toBeUndefined();
});

test('does not halt when that happens under a running integration', async () => {
  const run = world.startWithRestarts();
  const { a, copy } = await makeHistory();
  await restoreHeliumAndState(world, copy);
  await renameRegion(world, a, 'A after the restore');
  run.wake();
  await expectAtRest(world, { [`region/${a}`]: regionFields('A after the restore') });
  expect(Object.keys(await world.heliumRows())).toHaveLength(3);
  expect(await question()).toBeUndefined();
});

/**
 * Restores Helium to before the edits that are not read to the end, with their entries of the
 * change log.
 */
async function undoUnread(undo: string): Promise<void> {
  const session = await world.helium.connect();
  await session.query(`begin; set local session_replication_role = replica; ${undo};
    delete from __he_sync_obj_change__ where seq > (select change_log_cursor from __portal_sync__.run); commit`);
}

describe('asks when Helium is restored to before what was sent without an answer', () => {
  test('an edit, which Journey may receive later', async () => {
    await stopUnanswered(world);
    const journey = await world.journeyRows();
    await undoUnread(`update region set name = 'first'`);
    await expectQuestion(world.start().ended, /was restored/);
    expect(await world.journeyRows()).toEqual(journey);
  });

  test.each(['and nothing was read since', 'and its entry of the op-log was read'] as const)(
    'a new record, which Journey has received, %s',
    async (read) => {
      let received = '';
      const receive = async () => {
        await world.edit({ method: 'put', object: { type: 'region', id: received, name: 'received' } });
        const hasNoIntent = async () => (await world.sql('select from __portal_sync__.intent')).rowCount === 0;
        if (read === 'and its entry of the op-log was read') await waitUntil(hasNoIntent);
      };
      await stopUnanswered(
        world,
        async () => {
          received = await insertRegion(world, 'received');
        },
        receive,
      );
      await undoUnread(`delete from region where name = 'received'`);
      await expectQuestion(world.start().ended, /was restored/);
      expect(await world.journeyRows()).toMatchObject({ [`region/${received}`]: regionFields('received') });
    },
  );
});

describe('with one direction only', () => {
  test('asks when Helium is restored and its changes are not read', async () => {
    const run = world.start(toHeliumOnly);
    const first = randomUUID();
    await world.edit({ method: 'put', object: { type: 'region', id: first, name: 'A' } });
    await waitUntil(async () => `region/${first}` in (await world.heliumRows()));
    const copy = await backUpHelium(world);
    await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'C' } });
    await waitUntil(async () => Object.keys(await world.heliumRows()).length === 2);
    await restoreHelium(world, copy);
    await expectQuestion(run.ended, /was restored/);
  });

  test('asks when its change log was cleared before the restore', async () => {
    const run = world.start(toHeliumOnly);
    const id = randomUUID();
    const put = (name: string) => world.edit({ method: 'put', object: { type: 'region', id, name } });
    const isInHelium = async (name: string) => (await world.heliumRows())[`region/${id}`]?.name === name;
    await put('A');
    await waitUntil(() => isInHelium('A'));
    const copy = await backUpHelium(world);
    await put('A by a device');
    await waitUntil(() => isInHelium('A by a device'));
    await world.sql('delete from $s.__he_sync_obj_change__');
    await expectNoEcho(world);
    await restoreHelium(world, copy);
    await expectQuestion(run.ended, /was restored/);
  });

  test("asks when Helium is restored with its state and Journey's changes are not read", async () => {
    const run = world.start(toJourneyOnly);
    const a = await insertRegion(world, 'A');
    await waitUntil(async () => `region/${a}` in (await world.journeyRows()));
    await waitUntil(() => world.figures().changeLogVersion === '1');
    const copy = await backUpHelium(world);
    await insertRegion(world, 'B');
    await waitUntil(() => world.figures().changeLogVersion === '2');
    await run.stop();
    await restoreHeliumAndState(world, copy);
    await expectQuestion(world.start(toJourneyOnly).ended, /together with the integration's state/);
    expect(Object.keys(await world.journeyRows())).toHaveLength(2);
  });
});
