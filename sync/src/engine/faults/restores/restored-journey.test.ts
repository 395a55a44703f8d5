/**
 * Journey's objects and op-log go back to an earlier copy. No one acts: nothing is deleted or
 * undone in Helium, and an operator is asked.
 */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { DeploymentCopy } from '@portal/simulators/journey/simulator';
import { expect, test } from 'vitest';
import { readQuestion } from '../../../sync-state/questions.store.ts';
import { createWorldForEachTest, world } from '../../testing/each-world.fixture.ts';
import { insertRegion, renameRegion, waitUntil } from '../../testing/fault-steps.fixture.ts';

createWorldForEachTest();

const toJourneyOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableJourneyToHelium: false });

const put = (name: string) => world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name } });

/** Returns a copy of Journey as of the first of several edits. */
async function makeHistory(): Promise<DeploymentCopy> {
  const a = await insertRegion(world, 'A');
  await world.waitUntilEqual();
  const copy = await world.deployment.takeCopy();
  await put('B');
  await put('C');
  await world.waitUntilEqual();
  await renameRegion(world, a, 'A v2');
  await world.waitUntilEqual();
  return copy;
}

async function expectQuestion(ended: Promise<unknown>, evidence: RegExp): Promise<void> {
  expect(await ended).toMatchObject({ outcome: 'halted', reason: expect.stringMatching(evidence) });
  const { rows } = await world.sql('select state_id from __portal_sync__.run');
  expect(await readQuestion(world.helium.pool, rows[0]?.state_id)).toMatchObject({
    question: { kind: 'restored', side: 'journey', reason: expect.stringMatching(evidence) },
  });
}

for (const { name, edits, skipped = 0, evidence } of [
  { name: 'are behind the cursor', edits: 0, evidence: /op-log ends at entry 1,/ },
  { name: 'end at the cursor', edits: 3, evidence: /Entry 4 of its op-log is not the one/ },
  { name: 'have overtaken the cursor', edits: 11, evidence: /Entry 4 of its op-log is not the one/ },
  {
    name: 'skip the cursor',
    edits: 1,
    skipped: 10,
    evidence: /Entry 4 of its op-log is gone, and older ones are still there/,
  },
])
  test(`changes nothing in Helium and asks when the numbers of a restored op-log ${name}`, async () => {
    const run = world.start();
    const copy = await makeHistory();
    const helium = await world.heliumRows();
    await run.stop();
    await world.deployment.restoreCopy(copy);
    await world.journeySql('update deployment set last_sequence = last_sequence + $1', [skipped]);
    for (let edit = 0; edit < edits; edit += 1) await put('later');
    await expectQuestion(world.start().ended, evidence);
    expect(await world.heliumRows()).toEqual(helium);
  });

test('notices it under a running integration', async () => {
  const run = world.start();
  const copy = await makeHistory();
  const helium = await world.heliumRows();
  await world.deployment.restoreCopy(copy);
  await expectQuestion(run.ended, /op-log ends at entry 1,/);
  expect(await world.heliumRows()).toEqual(helium);
});

test('finds a restore before everything is read again', async () => {
  const run = world.start();
  const copy = await makeHistory();
  const helium = await world.heliumRows();
  await run.stop();
  await world.deployment.restoreCopy(copy);
  await world.sql('update __portal_sync__.run set op_log_cursor = 0, mapping = null');
  await expectQuestion(world.start().ended, /op-log ends at entry 1,/);
  expect(await world.heliumRows()).toEqual(helium);
});

test('finds a restore between two pages of a full read', async () => {
  const run = world.start();
  const copy = await makeHistory();
  const helium = await world.heliumRows();
  await run.stop();
  await world.deployment.restoreCopy(copy);
  await world.sql(
    `update __portal_sync__.run set snapshot_to_helium = '{"head":null,"tables":["region"],"afterId":null,"count":0}'`,
  );
  await expectQuestion(world.start().ended, /op-log ends at entry 1,/);
  expect(await world.heliumRows()).toEqual(helium);
});

test('asks when Journey is restored and its changes are not read', async () => {
  const run = world.start(toJourneyOnly);
  await insertRegion(world, 'A');
  await waitUntil(async () => Object.keys(await world.journeyRows()).length === 1);
  const copy = await world.deployment.takeCopy();
  await insertRegion(world, 'B');
  await waitUntil(
    async () =>
      (await world.sql('select op_log_point as point from __portal_sync__.run')).rows[0]?.point?.sequence === '2',
  );
  await world.deployment.restoreCopy(copy);
  await expectQuestion(run.ended, /op-log ends at entry 1,/);
});
