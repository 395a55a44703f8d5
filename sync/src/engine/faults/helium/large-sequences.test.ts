/**
 * Journey's sequences as they really are: the seconds since 1970 times 2^32, plus a counter. They
 * start beyond the integers that JavaScript represents, and have gaps.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRegion, renameRegion, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await createSyncWorld();
});
afterAll(() => world.stop());

const start = 1_764_000_000n * 2n ** 32n;
const skip = (seconds: bigint) =>
  world.journeySql('update deployment set last_sequence = last_sequence + $1::bigint', [String(seconds * 2n ** 32n)]);
async function readEnd(): Promise<string> {
  const { rows } = await world.journeySql('select max(sequence)::text as sequence from op_log');
  return rows[0]?.sequence;
}

test('continues at its entry of a real op-log, however far apart the sequences are', async () => {
  await world.journeySql('update deployment set last_sequence = $1::bigint', [String(start)]);
  const [inHelium, inJourney] = [randomUUID(), randomUUID()];
  let run = world.startWithRestarts();
  await waitForLog(world, /^INFO Helium → Journey: full read complete/);
  await insertRegion(world, 'inserted', null, inHelium);
  await world.edit({ method: 'put', object: { type: 'region', id: inJourney, name: 'created' } });
  await world.waitUntilEqual();
  for (const name of ['one', 'two']) {
    await skip(1n);
    await world.edit({ method: 'patch', object: { type: 'region', id: inJourney, name } });
    await renameRegion(world, inHelium, name);
    await world.waitUntilEqual();
  }
  expect(run.interruptions).toEqual([]);
  await world.stopRuns();
  await skip(86_400n);
  await world.edit({ method: 'patch', object: { type: 'region', id: inJourney, name: 'edited while stopped' } });
  run = world.startWithRestarts();
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject({
    [`region/${inHelium}`]: { name: 'two' },
    [`region/${inJourney}`]: { name: 'edited while stopped' },
  });
  expect(run.interruptions).toEqual([]);
  const end = await readEnd();
  expect(BigInt(end)).toBeGreaterThan(start);
  await waitUntil(() => world.figures().oplogVersion === end);
  expect(world.log).not.toContainEqual(expect.stringMatching(/^WARNING Journey's op-log/));
});
