/** One side has lost many values without a log that says so: an operator decides about them. */
import { expect, test } from 'vitest';
import { compare, insertRegions, operations } from '../faults/absence-steps.fixture.ts';
import { expectNoEcho } from '../faults/fault-steps.fixture.ts';
import { createWorldForEachTest, world } from '../testing/each-world.fixture.ts';

createWorldForEachTest();

const count = 30;
const hidden = `set session_replication_role = replica`;

const clearInHelium = async (condition: string) => {
  const session = await world.helium.connect();
  await session.query(`${hidden}; update region set code = null where ${condition}`);
};
const clearInJourney = async () => {
  await world.journeySql(`update object set contents = contents - 'code' where type = 'region'`);
};
const countCodes = async () => {
  const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
  const withCode = (rows: typeof helium) => Object.values(rows).filter(({ code }) => code !== null).length;
  return { helium: withCode(helium), journey: withCode(journey) };
};

async function startEqual() {
  await insertRegions(count);
  const run = world.start();
  await world.waitUntilEqual();
  return run;
}

async function answer(choice: 'keep' | 'clear'): Promise<void> {
  const question = await operations().readQuestion(world.integration);
  const given = { questionId: question?.id ?? '', answer: choice, fence: world.nextFence() };
  expect(await operations().answerQuestion(world.integration, given)).toBe(true);
}

test.each([
  ['Helium', 'journey', 'keep', count],
  ['Helium', 'journey', 'clear', 0],
  ['Journey', 'helium', 'keep', count],
  ['Journey', 'helium', 'clear', 0],
] as const)(
  'asks when %s has lost all values of a field, clears nothing in %s before, and acts on the answer %s',
  async (loser, side, choice, left) => {
    const run = await startEqual();
    await (loser === 'Helium' ? clearInHelium('true') : clearInJourney());
    await compare(run);
    expect(await run.ended).toMatchObject({ outcome: 'halted' });
    expect(await operations().readQuestion(world.integration)).toMatchObject({
      kind: 'clearings',
      side,
      table: 'region',
      columns: [{ column: 'code', known: count, absent: count }],
      records: count,
      isSyncedBack: true,
    });
    expect((await countCodes())[side]).toBe(count);
    await answer(choice);
    world.start();
    await expect.poll(countCodes, { timeout: 60_000 }).toEqual({ helium: left, journey: left });
    await world.waitUntilEqual();
    await expectNoEcho(world);
  },
);

test('clears few values that one side has lost, and lists them', async () => {
  const run = await startEqual();
  await clearInHelium('code <= 2');
  await compare(run);
  await expect.poll(countCodes, { timeout: 60_000 }).toEqual({ helium: count - 2, journey: count - 2 });
  await world.waitUntilEqual();
  expect(await world.conflicts()).toMatchObject([
    { column: 'code', helium: null },
    { column: 'code', helium: null },
  ]);
});
