/**
 * Journey has lost the photos of records without a log that says so: they count like other values
 * that are cleared, also in a full read.
 */
import { expect, test } from 'vitest';
import { operations } from '../faults/missing/absence-steps.fixture.ts';
import { createWorldForAllTests, world } from '../testing/each-world.fixture.ts';
import { expectNoEcho, waitUntil } from '../testing/fault-steps.fixture.ts';
import { visitWithPhoto } from '../testing/visit-with-photo.fixture.ts';
import { intentsUnderWay } from '../testing/world-rows.fixture.ts';

const count = 30;

async function countPhotos() {
  const { rows: helium } = await world.sql('select count(photo)::int as count from $s.visit');
  const { rows: journey } = await world.journeySql(
    `select count(contents->>'photo')::int as count from object where type = 'visit'`,
  );
  return { helium: helium[0]?.count, journey: journey[0]?.count };
}

const waitForPhotos = (left: number) =>
  waitUntil(async () => Object.values(await countPhotos()).every((photos) => photos === left));

async function prepare(): Promise<void> {
  world.start();
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  await world.sql(
    `insert into $s.visit (_id_, _tstamp_, note, photo, photo_fname__)
     select gen_random_uuid(), now(), 'visit ' || n, decode('ffd8ff', 'hex') || convert_to(n::text, 'utf8') || decode('ffd9', 'hex'), 'field.jpg'
     from generate_series(1, $1::int) n`,
    [count],
  );
  await waitForPhotos(count);
  const isSettled = async () =>
    (await world.sql(`select from __portal_sync__.record where journey->>'photo' is not null`)).rowCount === count &&
    (await world.sql(`select from __portal_sync__.file_wait union all select from ${intentsUnderWay}`)).rowCount === 0;
  await waitUntil(isSettled);
  await expectNoEcho(world);
  expect(await world.conflicts()).toEqual([]);
}

// A photo that Journey has received without an answer in time is not known to be ours.
createWorldForAllTests(prepare, { ...visitWithPhoto, timing: { callTimeoutMs: 200_000 } });

/** Takes the photos away in Journey, and reads it from version 0. */
async function readWithout(condition: string) {
  await world.journeySql(`update object set contents = contents - 'photo' where type = 'visit' and ${condition}`);
  const fence = world.nextFence();
  await operations().moveCursor(world.integration, { fence, direction: 'journey-to-helium', version: '0' });
  return world.start();
}

test.each(['keep', 'clear'] as const)(
  'asks before a full read clears the photos of many records in Helium, and acts on the answer %s',
  async (answer) => {
    expect(await countPhotos()).toEqual({ helium: count, journey: count });
    expect(await (await readWithout('true')).ended).toMatchObject({ outcome: 'halted' });
    const question = await operations().readQuestion(world.integration);
    expect(question).toMatchObject({
      kind: 'clearings',
      side: 'helium',
      columns: [{ column: 'photo', known: count, absent: count }],
      records: count,
    });
    expect(await countPhotos()).toEqual({ helium: count, journey: 0 });
    const given = { questionId: question?.id ?? '', answer, fence: world.nextFence() };
    expect(await operations().answerQuestion(world.integration, given)).toBe(true);
    world.start();
    const left = answer === 'keep' ? count : 0;
    await waitForPhotos(left);
    await expectNoEcho(world);
  },
);

test('clears the photos of few records that a full read finds without them, and lists them with their bytes', async () => {
  await readWithout(`contents->>'note' in ('visit 1', 'visit 2')`);
  await waitForPhotos(count - 2);
  expect(await world.conflicts()).toMatchObject([
    { column: 'photo', journey: null, files: [{ column: 'photo' }] },
    { column: 'photo', journey: null, files: [{ column: 'photo' }] },
  ]);
});
