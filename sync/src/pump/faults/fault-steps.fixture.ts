/** What tests of faults do again and again. */
import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Fields } from '../../record/fields.ts';
import type { SyncWorld } from '../testing/sync-world.fixture.ts';

const wait = { timeout: 100_000, interval: 20 };

export const until = (state: () => unknown) => vi.waitUntil(state, wait);

/** Waits for a line of the integration's log. */
export const untilTold = (world: SyncWorld, line: RegExp) => until(() => world.log.some((one) => line.test(one)));

export const regionOf = (name: string | null, code: number | null = null): Fields => ({ name, code });

export async function insertRegion(
  world: SyncWorld,
  name: string,
  code: number | null = null,
  id: string = randomUUID(),
): Promise<string> {
  await world.sql('insert into $s.region (_id_, _tstamp_, name, code) values ($1, now(), $2, $3)', [id, name, code]);
  return id;
}

export async function renameRegion(world: SyncWorld, id: string, name: string): Promise<void> {
  await world.sql('update $s.region set name = $2, _tstamp_ = now() where _id_ = $1', [id, name]);
}

export const deleteRegion = (world: SyncWorld, id: string) => world.sql('delete from $s.region where _id_ = $1', [id]);

/**
 * Edits of both sides, each of objects of its own; answers what both must have of them in the end.
 */
export async function editBoth(world: SyncWorld, round: string): Promise<Record<string, Fields>> {
  const [here, changed, gone] = [
    await insertRegion(world, `${round} new`),
    await insertRegion(world, `${round} old`),
    await insertRegion(world, `${round} gone`),
  ];
  const there = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: there, name: `${round} device` } });
  await renameRegion(world, changed, `${round} changed`);
  await deleteRegion(world, gone);
  return {
    [`region/${here}`]: regionOf(`${round} new`),
    [`region/${changed}`]: regionOf(`${round} changed`),
    [`region/${there}`]: regionOf(`${round} device`),
  };
}

/** Once both sides have come to rest: exactly this, on both, and nobody writes any more. */
export async function expectAtRest(world: SyncWorld, expected: Readonly<Record<string, Fields>>): Promise<void> {
  await world.untilEqual();
  expect(await world.heliumRows()).toMatchObject(expected);
  await expectNoEcho(world);
}

/** Both logs were looked at again, and nothing more was written. */
export async function expectNoEcho(world: SyncWorld): Promise<void> {
  const { sql, deployment, figures } = world;
  const written = async () => ({
    journey: await deployment.writes(),
    helium: (await sql('select max(seq) as seq from $s.__he_sync_obj_change__')).rows[0].seq,
  });
  const before = await written();
  for (let polls = 0; polls < 3; polls += 1) {
    const { lastPingedMs } = figures();
    await until(() => figures().lastPingedMs !== lastPingedMs);
  }
  expect(await written()).toEqual(before);
}
