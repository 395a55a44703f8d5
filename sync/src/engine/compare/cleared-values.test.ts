/**
 * One side has lost many values without a log that says so: an operator decides about them, whether
 * a comparison or a full read finds it.
 */
import type { Side } from '@portal/contract/sync/recovery';
import { describe, expect, test } from 'vitest';
import { compare, insertRegions, operations } from '../faults/missing/absence-steps.fixture.ts';
import { createWorldForEachTest, world } from '../testing/each-world.fixture.ts';
import { expectNoEcho } from '../testing/fault-steps.fixture.ts';

createWorldForEachTest();

const count = 30;
/** Direction in which a side is read. */
const directions = { helium: 'helium-to-journey', journey: 'journey-to-helium' } as const;
const hidden = `set session_replication_role = replica`;

const clearInHelium = async (condition: string) => {
  const session = await world.helium.connect();
  await session.query(`${hidden}; update region set code = null where ${condition}`);
};
const clearInJourney = async (condition = 'true') => {
  await world.journeySql(`update object set contents = contents - 'code' where type = 'region' and ${condition}`);
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

const clear = (loser: Side, condition = 'true') =>
  loser === 'helium' ? clearInHelium(condition) : clearInJourney(condition);

/** Every side that loses all values, with each answer. */
const losses = (['helium', 'journey'] as const).flatMap((loser) =>
  (['keep', 'clear'] as const).map((choice) => ({ loser, choice })),
);

/** Expects that a run asks before it clears the other side, and that it acts on the answer. */
async function expectQuestion(
  run: Awaited<ReturnType<typeof startEqual>>,
  { loser, choice }: (typeof losses)[number],
): Promise<void> {
  const side = loser === 'helium' ? 'journey' : 'helium';
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
  const left = choice === 'keep' ? count : 0;
  await expect.poll(countCodes, { timeout: 60_000 }).toEqual({ helium: left, journey: left });
  await world.waitUntilEqual();
  await expectNoEcho(world);
}

test.each(losses)(
  'asks when $loser has lost all values of a field, clears nothing before, and acts on the answer $choice',
  async (loss) => {
    const run = await startEqual();
    await clear(loss.loser);
    await compare(run);
    await expectQuestion(run, loss);
  },
);

describe('a full read from version 0', () => {
  const readFromZero = async (run: Awaited<ReturnType<typeof startEqual>>, loser: Side) => {
    await run.stop();
    const fence = world.nextFence();
    await operations().moveCursor(world.integration, { fence, direction: directions[loser], version: '0' });
    return world.start();
  };
  test.each(losses)(
    'asks when $loser has lost all values of a field, clears nothing before, and acts on the answer $choice',
    async (loss) => {
      const first = await startEqual();
      await clear(loss.loser);
      await expectQuestion(await readFromZero(first, loss.loser), loss);
    },
  );

  test.each(['helium', 'journey'] as const)('clears few values that %s has lost, and lists them', async (loser) => {
    const first = await startEqual();
    await clear(loser, loser === 'helium' ? 'code <= 2' : "contents->>'code' in ('1', '2')");
    await readFromZero(first, loser);
    await expect.poll(countCodes, { timeout: 60_000 }).toEqual({ helium: count - 2, journey: count - 2 });
    await world.waitUntilEqual();
    expect(await world.conflicts()).toMatchObject([{ column: 'code' }, { column: 'code' }]);
    await expectNoEcho(world);
  });

  test('sends what users of the app have cleared since the log was read, without a question', async () => {
    const run = await startEqual();
    await run.stop();
    await world.sql(`update $s.region set code = null, _tstamp_ = now()`);
    // The next run reads all rows of the table before it reads the change log.
    await world.sql(
      `update __portal_sync__.run set snapshot_to_journey = '{"head":null,"tables":["region"],"afterId":null,"count":0}'`,
    );
    world.start();
    await expect.poll(countCodes, { timeout: 60_000 }).toEqual({ helium: 0, journey: 0 });
    expect(await world.conflicts()).toEqual([]);
  });
});

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
