import { inTransaction } from '@portal/kit/postgres/pool';
import { afterEach, expect, test, vi } from 'vitest';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import type { Fields } from '../../../record/fields.ts';
import { createCountedConnection, type KillMoment } from '../../testing/counted-connection.fixture.ts';
import { createEngines, type Engine, type EngineOptions } from '../../testing/engine-processes.fixture.ts';
import { editBothSides, expectAtRest, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { FileEditor, fileSchemaXml, fileTables } from '../../testing/file-editor.fixture.ts';
import { enrollment, PlayedUsers, userKeys, userTables } from '../../testing/played-users.fixture.ts';
import { findRepeatedValues } from '../../testing/repeated-values.fixture.ts';
import type { TestRun } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { randomFrom } from './kill-loop.fixture.ts';

/** `npm run soak` kills at every message. */
const every = Number(process.env.EVERY ?? 9);
/** Files and requests take more messages; with another SEED, the soak kills at others of them. */
const fileEvery = Number(process.env.FILE_EVERY ?? 90);
const seed = Number(process.env.SEED ?? 0);
const fileStart = 1 + (seed % fileEvery);

let world: SyncWorld | undefined;

afterEach(() => world?.stop());

test.each<KillMoment>(['undelivered', 'unanswered'])(
  'loses and repeats nothing when the engine is killed while its message is %s, at one message after another',
  async (moment) => {
    world = await createSyncWorld();
    const play = new RecordPlay(world, moment);
    const stopped = await stopAtEachMessage(world, play, { moment, how: 'kill', every });
    const { expected } = play;
    console.log(`${stopped} engines killed`);
    expect(stopped).toBeGreaterThan(50 / every);
    expect(await world.heliumRows()).toEqual(expected);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
    expect(await findRepeatedValues(world)).toEqual([]);
  },
  600_000,
);

test.each<KillMoment>(['undelivered', 'unanswered'])(
  'ends with every file and request right when the engine is killed while its message is %s, at one message after another',
  async (moment) => {
    world = await createSyncWorld({
      tables: { ...fileTables, ...userTables },
      sql: userKeys,
      schemaXml: fileSchemaXml,
    });
    const play = await createFilePlay(world);
    const stopped = await stopAtEachMessage(world, play, { moment, how: 'kill', every: fileEvery, start: fileStart });
    console.log(`${stopped} engines killed`);
    expect(stopped).toBeGreaterThan(100 / fileEvery);
    expect(await world.held()).toEqual([]);
    expect((await world.conflicts()).filter(({ column }) => column === 'photo')).toEqual([]);
  },
  1_800_000,
);

test('continues after an engine that is frozen at one message after another, and keeps no row of the app locked', async () => {
  world = await createSyncWorld();
  const play = new RecordPlay(world, 'frozen');
  const stopped = await stopAtEachMessage(world, play, { moment: 'unanswered', how: 'freeze', every });
  const { expected } = play;
  console.log(`${stopped} engines frozen`);
  expect(stopped).toBeGreaterThan(50 / every);
  expect(await world.heliumRows()).toEqual(expected);
  expect(await world.conflicts()).toEqual([]);
  expect(await world.held()).toEqual([]);
  expect(await findRepeatedValues(world)).toEqual([]);
}, 1_800_000);

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

/** What happens while engines are stopped. */
interface StepPlay {
  readonly engine?: EngineOptions;
  /** Edits both sides before an engine starts. */
  edit(number: number): Promise<void>;
  /** Starts an engine in this process. */
  start(): TestRun;
  waitUntilRest(): Promise<void>;
}

class RecordPlay implements StepPlay {
  readonly #world: SyncWorld;
  readonly #name: string;
  /** What both sides must have in the end. */
  expected: Record<string, Fields> = {};

  constructor(world: SyncWorld, name: string) {
    this.#world = world;
    this.#name = name;
  }

  async edit(number: number): Promise<void> {
    this.expected = { ...this.expected, ...(await editBothSides(this.#world, `${this.#name} ${number}`)) };
  }

  start(): TestRun {
    return this.#world.start();
  }

  waitUntilRest(): Promise<void> {
    return this.#world.waitUntilEqual();
  }
}

/** Files on both sides, and requests of operators that users act on. */
async function createFilePlay(world: SyncWorld): Promise<StepPlay> {
  const random = randomFrom(seed);
  const files = new FileEditor(world, random);
  const users = new PlayedUsers(world, random);
  const start = () => world.start((config) => ({ ...config, journeyToHeliumEnrollment: enrollment }));
  await users.create();
  const first = start();
  await waitUntil(() => users.areSynced());
  await first.stop();
  return {
    engine: { enrollment },
    async edit() {
      await files.editBothSides();
      await users.actInEachPart();
    },
    start,
    async waitUntilRest() {
      await vi.waitFor(
        async () => {
          await users.signInAgain();
          expect([...(await files.findDifferences()), ...(await users.findDifferences())]).toEqual([]);
        },
        { timeout: 100_000, interval: 50 },
      );
    },
  };
}

interface StopOptions {
  readonly moment: KillMoment;
  readonly how: 'kill' | 'freeze';
  /** The message at which the first engine is stopped. Default: 1. */
  readonly start?: number;
  /** How many messages further the next engine is stopped. */
  readonly every: number;
}

/**
 * Continues until an engine comes to rest before the message to stop at. After each one, another
 * engine brings both sides to rest. Returns how many were stopped.
 */
async function stopAtEachMessage(
  world: SyncWorld,
  play: StepPlay,
  { moment, how, start = 1, every }: StopOptions,
): Promise<number> {
  const connection = createCountedConnection();
  const engines = await createEngines(world);
  const options = {
    ...play.engine,
    heliumUrl: await connection.through(world.helium.url),
    journeyUrl: await connection.through(world.deployment.url),
  };
  try {
    for (let [number, stopped] = [start, 0]; ; number += every) {
      await play.edit(number);
      const stoppedAtMessage = connection.stopAtMessage(number, moment).then(() => 'stopped' as const);
      const engine = await engines.start({ ...options, ...(how === 'freeze' && { idleInTransactionMs: 500 }) });
      const rested = play.waitUntilRest().then(() => 'rested' as const);
      const end = await Promise.race([stoppedAtMessage, rested]);
      if (how === 'freeze') await freeze(world, engine);
      else await engine.kill();
      const next = play.start();
      await play.waitUntilRest();
      await next.stop();
      await rested;
      if (how === 'freeze') await engine.kill();
      if (end === 'rested') return stopped;
      stopped += 1;
    }
  } finally {
    engines.stop();
    await connection.close();
  }
}

/**
 * An app that needs every row gets them, although it waits much shorter than the engine is frozen.
 */
async function freeze({ helium: { pool } }: SyncWorld, engine: Engine): Promise<void> {
  engine.freeze();
  await inTransaction(pool, async (db) => {
    await db.query(`set local lock_timeout = '30s'`);
    await db.query(`select from ${schema}.region for update`);
  });
}
