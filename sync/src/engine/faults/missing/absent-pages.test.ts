/**
 * One side no longer has more than a page of records, and an operator answers what happens to them.
 */
import { expect, test } from 'vitest';
import { createWorldForAllTests, world } from '../../testing/each-world.fixture.ts';
import { startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import {
  answer,
  compare,
  compareAll,
  deleteUnlogged,
  inHelium,
  inJourney,
  insertRegions,
  operations,
  readQuestion,
} from './absence-steps.fixture.ts';

createWorldForAllTests(async () => {
  await insertRegions(1_100);
  world.start();
  await world.waitUntilEqual();
});

test.each(['keep', 'delete'] as const)('follows the answer %s about rows that Helium no longer has', async (choice) => {
  const run = world.start();
  const before = await world.journeyRows();
  await deleteUnlogged('region');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  await answer(choice);
  const again = world.start();
  await expect.poll(choice === 'keep' ? inHelium : inJourney).toBe(choice === 'keep' ? 1_100 : 0);
  await world.waitUntilEqual();
  expect(await world.journeyRows()).toEqual(choice === 'keep' ? before : {});
  await compareAll(again);
  expect(await operations().readQuestion(world.integration)).toBe(null);
  expect(await world.conflicts()).toEqual([]);
});

test.each(['keep', 'delete'] as const)(
  'follows the answer %s about objects that Journey no longer has',
  async (choice) => {
    const run = world.start();
    const before = await world.heliumRows();
    await world.journeySql('delete from object');
    await compare(run);
    expect(await run.ended).toMatchObject({ outcome: 'halted' });
    const question = await readQuestion();
    expect(question).toMatchObject({ side: 'helium', known: 1_100, absent: 1_100 });
    expect(before[`region/${question.sample[0]?.id}`]).toEqual(question.sample[0]?.values);
    await answer(choice);
    const again = world.start();
    await expect.poll(choice === 'keep' ? inJourney : inHelium).toBe(choice === 'keep' ? 1_100 : 0);
    await world.waitUntilEqual();
    expect(await world.heliumRows()).toEqual(choice === 'keep' ? before : {});
    await compareAll(again);
    expect(await operations().readQuestion(world.integration)).toBe(null);
    expect(await world.conflicts()).toEqual([]);
  },
);

test.each([
  ['helium', 'keep'],
  ['helium', 'delete'],
  ['journey', 'keep'],
  ['journey', 'delete'],
] as const)(
  'continues after a kill in the middle when %s no longer has the records and the answer is %s',
  async (side, choice) => {
    const proxy = await startResponseProxy(world);
    const run = world.start();
    if (side === 'helium') await deleteUnlogged('region');
    else await world.journeySql('delete from object');
    await compare(run);
    expect(await run.ended).toMatchObject({ outcome: 'halted' });
    await answer(choice);
    // Its response never arrives.
    let calls = 0;
    const isWork = side === 'helium' && choice === 'delete' ? /batch/ : side === 'helium' ? /query/ : /query|batch/;
    const call = proxy.hold((path) => {
      if (isWork.test(path)) calls += 1;
      return calls === 2;
    });
    const killed = world.start(proxy.through);
    await call.held;
    await killed.stop();
    call.release();
    world.start();
    const [heliumAfter, journeyAfter] = choice === 'keep' ? [1_100, 1_100] : [0, 0];
    await expect.poll(inHelium, { timeout: 60_000 }).toBe(heliumAfter);
    await expect.poll(inJourney, { timeout: 60_000 }).toBe(journeyAfter);
    await world.waitUntilEqual();
    expect(await operations().readQuestion(world.integration)).toBe(null);
    await proxy.stop();
  },
);
