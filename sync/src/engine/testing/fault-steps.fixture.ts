/** Steps shared by the fault tests. */
import { randomUUID } from 'node:crypto';
import { isTemporary } from '@portal/kit/postgres/pool';
import { JourneyObject } from '@portal/platforms/journey/wire';
import { expect, vi } from 'vitest';
import { LeaseLostError } from '../../integration/lease-lost-error.ts';
import type { Fields } from '../../record/fields.ts';
import type { TestRun } from './restarting-run.fixture.ts';
import { isSoak, type SyncWorld } from './sync-world.fixture.ts';

const wait = { timeout: isSoak ? 600_000 : 100_000, interval: 20 };

export const waitUntil = (state: () => unknown) => vi.waitUntil(state, wait);

/** Waits for a line in the integration's log. */
export const waitForLog = (world: SyncWorld, line: RegExp) => waitUntil(() => world.log.some((one) => line.test(one)));

export const regionFields = (name: string | null, code: number | null = null): Fields => ({ name, code });

export async function insertRegion(
  world: SyncWorld,
  name: string,
  code: number | null = null,
  id: string = randomUUID(),
): Promise<string> {
  await world.sql('insert into $s.region (_id_, _tstamp_, name, code) values ($1, now(), $2, $3)', [id, name, code]);
  return id;
}

/**
 * Waits for the end of a run that a newer one has replaced. It is rejected at its next step, unless
 * the newer one has just ended its session in the middle of a transaction.
 */
export async function expectReplaced(run: TestRun): Promise<void> {
  const error = await run.ended.catch((reason: unknown) => reason);
  if (!isTemporary(error)) expect(error).toBeInstanceOf(LeaseLostError);
}

/** Returns an object as Journey's API does; null when there is none. */
export async function findInJourney(
  { deployment: { url, userName, password } }: SyncWorld,
  model: string,
  id: string,
): Promise<JourneyObject | null> {
  const authorization = `Basic ${btoa(`${userName}:${password}`)}`;
  const response = await fetch(`${url}/objects/${model}/${id}.json`, { headers: { authorization } });
  return response.ok ? JourneyObject.parse(await response.json()) : null;
}

export async function renameRegion(world: SyncWorld, id: string, name: string): Promise<void> {
  await world.sql('update $s.region set name = $2, _tstamp_ = now() where _id_ = $1', [id, name]);
}

export const deleteRegion = (world: SyncWorld, id: string) => world.sql('delete from $s.region where _id_ = $1', [id]);

/** Edits different objects on both sides. Returns the final state that both sides must reach. */
export async function editBothSides(world: SyncWorld, round: string): Promise<Record<string, Fields>> {
  const [heliumId, changedId, deletedId] = [
    await insertRegion(world, `${round} new`),
    await insertRegion(world, `${round} old`),
    await insertRegion(world, `${round} gone`),
  ];
  const journeyId = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: journeyId, name: `${round} device` } });
  await renameRegion(world, changedId, `${round} changed`);
  await deleteRegion(world, deletedId);
  return {
    [`region/${heliumId}`]: regionFields(`${round} new`),
    [`region/${changedId}`]: regionFields(`${round} changed`),
    [`region/${journeyId}`]: regionFields(`${round} device`),
  };
}

/**
 * Waits until both sides are at rest, and checks that both contain this and nothing more is
 * written.
 */
export async function expectAtRest(world: SyncWorld, expected: Readonly<Record<string, Fields>>): Promise<void> {
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject(expected);
  await expectNoEcho(world);
}

/** Checks that both logs are read again and nothing more is written. */
export async function expectNoEcho(world: SyncWorld): Promise<void> {
  const { sql, deployment, figures } = world;
  const written = async () => ({
    journey: await deployment.writes(),
    helium: (await sql('select max(seq) as seq from $s.__he_sync_obj_change__')).rows[0].seq,
  });
  const before = await written();
  for (let polls = 0; polls < 3; polls += 1) {
    const { lastPingedMs } = figures();
    await waitUntil(() => figures().lastPingedMs !== lastPingedMs);
  }
  expect(await written()).toEqual(before);
}

/**
 * Stops while Journey has not answered the write of a region, which `edit` makes the engine send.
 *
 * @param before runs before the stop
 */
export async function stopUnanswered(
  world: SyncWorld,
  edit = (id: string) => renameRegion(world, id, 'unanswered'),
  before: () => Promise<void> = async () => undefined,
): Promise<string> {
  const run = world.start();
  const id = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  world.journey.faults.set({ mode: 'hang', path: 'batch', times: 1 });
  await edit(id);
  await waitUntil(async () => {
    const { rows } = await world.sql("select from __portal_sync__.run where open_calls <> '{}'");
    return rows.length > 0;
  });
  await before();
  await run.stop();
  return id;
}
