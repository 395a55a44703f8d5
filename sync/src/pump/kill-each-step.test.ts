import { inTransaction } from '@portal/kit/postgres/pool';
import { afterEach, expect, test } from 'vitest';
import { schema } from '../helium/helium-gateway.fixture.ts';
import type { Fields } from '../record/fields.ts';
import { editBothSides, expectAtRest } from './faults/fault-steps.fixture.ts';
import { createCountedConnection, type KillMoment } from './testing/counted-connection.fixture.ts';
import { createEngines, type Engine } from './testing/engine-processes.fixture.ts';
import { findRepeatedValues } from './testing/repeated-values.fixture.ts';
import { createSyncWorld, type SyncWorld } from './testing/sync-world.fixture.ts';

/** `npm run soak` kills at every message. */
const every = Number(process.env.EVERY ?? 9);

let world: SyncWorld | undefined;

afterEach(() => world?.stop());

test.each<KillMoment>(['undelivered', 'unanswered'])(
  'loses and repeats nothing when the engine is killed while its message is %s, at one message after another',
  async (moment) => {
    world = await createSyncWorld();
    const { stopped, expected } = await stopAtEachMessage(world, moment, 'kill');
    console.log(`${stopped} engines killed`);
    expect(stopped).toBeGreaterThan(50 / every);
    expect(await world.heliumRows()).toEqual(expected);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
    expect(await findRepeatedValues(world)).toEqual([]);
  },
  600_000,
);

test('continues after an engine that is frozen at one message after another, and keeps no row of the app locked', async () => {
  world = await createSyncWorld();
  const { stopped, expected } = await stopAtEachMessage(world, 'unanswered', 'freeze');
  console.log(`${stopped} engines frozen`);
  expect(stopped).toBeGreaterThan(50 / every);
  expect(await world.heliumRows()).toEqual(expected);
  expect(await world.conflicts()).toEqual([]);
  expect(await world.held()).toEqual([]);
  expect(await findRepeatedValues(world)).toEqual([]);
}, 600_000);

test('keeps no row of the app locked when the engine is frozen after it has written the rows of a page', async () => {
  world = await createSyncWorld();
  const first = world.start();
  const expected = await editBothSides(world, 'before');
  await world.waitUntilEqual();
  await first.stop();
  const id = Object.keys(expected)[0]?.replace('region/', '') ?? '';
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 7 } });
  const connection = createCountedConnection();
  const engines = await createEngines(world);
  try {
    const stopped = connection.stopAtMessage('release savepoint helium_round', 'unanswered');
    const engine = await engines.start({
      heliumUrl: await connection.through(world.helium.url),
      journeyUrl: await connection.through(world.deployment.url),
      idleInTransactionMs: 500,
    });
    await stopped;
    await freeze(world, engine);
    world.start();
    await expectAtRest(world, { [`region/${id}`]: expect.objectContaining({ code: 7 }) });
    await engine.kill();
  } finally {
    engines.stop();
    await connection.close();
  }
}, 600_000);

/**
 * Continues until an engine comes to rest before the message to stop at. After each one, another
 * engine brings both sides to rest.
 */
async function stopAtEachMessage(world: SyncWorld, moment: KillMoment, how: 'kill' | 'freeze') {
  const connection = createCountedConnection();
  const engines = await createEngines(world);
  const addresses = {
    heliumUrl: await connection.through(world.helium.url),
    journeyUrl: await connection.through(world.deployment.url),
  };
  let expected: Record<string, Fields> = {};
  try {
    for (let [number, stopped] = [1, 0]; ; number += every) {
      expected = { ...expected, ...(await editBothSides(world, `${moment} ${number}`)) };
      const stoppedAtMessage = connection.stopAtMessage(number, moment).then(() => 'stopped' as const);
      const engine = await engines.start({ ...addresses, ...(how === 'freeze' && { idleInTransactionMs: 500 }) });
      const rested = world.waitUntilEqual().then(() => 'rested' as const);
      const end = await Promise.race([stoppedAtMessage, rested]);
      if (how === 'freeze') await freeze(world, engine);
      else await engine.kill();
      const next = world.start();
      await world.waitUntilEqual();
      await next.stop();
      await rested;
      if (how === 'freeze') await engine.kill();
      if (end === 'rested') return { stopped, expected };
      stopped += 1;
    }
  } finally {
    engines.stop();
    await connection.close();
  }
}

/** An app that needs every row gets them, although it waits much shorter than the engine is frozen. */
async function freeze({ helium: { pool } }: SyncWorld, engine: Engine): Promise<void> {
  engine.freeze();
  await inTransaction(pool, async (db) => {
    await db.query(`set local lock_timeout = '30s'`);
    await db.query(`select from ${schema}.region for update`);
  });
}
