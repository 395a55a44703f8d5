import { afterEach, expect, test, vi } from 'vitest';
import { expectAtRest, expectNoEcho, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { FileEditor, fileSchemaXml, fileTables } from '../../testing/file-editor.fixture.ts';
import { type FileProxy, startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { enrollment, PlayedUsers, userKeys, userTables } from '../../testing/played-users.fixture.ts';
import { RecordEditor } from '../../testing/record-editor.fixture.ts';
import { findRepeatedValues } from '../../testing/repeated-values.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';
import { playKillLoop, randomFrom } from './kill-loop.fixture.ts';

/** `npm run soak` kills more often, with other seeds. */
const kills = Number(process.env.KILLS ?? 50);
const seed = Number(process.env.SEED ?? 20_261_121);

/** Those of engines that download files and execute requests, which are shorter to play. */
const fileKills = Number(process.env.FILE_KILLS ?? 12);

let world: SyncWorld | undefined;
let proxy: FileProxy | undefined;

afterEach(async () => {
  await proxy?.stop();
  await world?.stop();
});

test(
  `loses no edit and repeats none when the engine is killed ${kills} times`,
  async () => {
    world = await createSyncWorld();
    const random = randomFrom(seed);
    const editor = new RecordEditor(world, random);
    await playKillLoop(world, { kills, random, edit: () => editor.edit() });
    const { expected, figures } = editor;
    world.start();
    await expectAtRest(world, expected);
    expect(await world.heliumRows()).toEqual(expected);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
    expect(await findRepeatedValues(world)).toEqual([]);
    console.log(`seed ${seed}: ${JSON.stringify({ kills, ...figures, writes: await world.deployment.writes() })}`);
  },
  kills * 4_000 + 60_000,
);

test(
  `downloads no file twice and repeats no request that a person has acted on when the engine is killed ${fileKills} times`,
  async () => {
    world = await createSyncWorld({
      tables: { ...fileTables, ...userTables },
      sql: userKeys,
      schemaXml: fileSchemaXml,
    });
    const random = randomFrom(seed);
    const files = new FileEditor(world, random);
    const users = new PlayedUsers(world, random);
    proxy = await startFileProxy(world);
    const { url, downloads, answer, through } = proxy;
    const start = () => world?.start((config) => through({ ...config, journeyToHeliumEnrollment: enrollment }));
    await users.create();
    const first = start();
    await waitUntil(() => users.areSynced());
    await first?.stop();

    let failures = 0;
    answer(() => {
      if (random() < 0.5) return null;
      failures += 1;
      return 500;
    });
    await playKillLoop(world, {
      kills: fileKills,
      random,
      edit: () => (random() < 0.5 ? files.edit() : users.act()),
      // One at a time, so that a kill interrupts one at most.
      engine: { journeyUrl: url, parallelDownloads: 1, enrollment },
    });
    await files.finishUploads();
    answer(() => null);
    const last = start();
    await vi.waitFor(
      async () => {
        await users.signInAgain();
        expect([...(await files.findDifferences()), ...(await users.findDifferences())]).toEqual([]);
      },
      { timeout: 100_000, interval: 50 },
    );
    // Files that lost a conflict are downloaded to keep them.
    await waitUntil(async () => (await world?.sql('select from __portal_sync__.file_wait'))?.rowCount === 0);
    expect(await world.held()).toEqual([]);
    // Only devices take photos, and one that Helium never had is kept when Helium deletes its
    // record. A scan that is replaced after a lost response may be in a conflict. So may an empty
    // photo that a write without an answer may have brought back.
    const conflicts = (await world.conflicts()).filter(
      ({ id, column, journey }) => id in files.expected && column === 'photo' && journey !== null,
    );
    expect(conflicts).toEqual([]);
    const downloaded = downloads.length - failures;
    expect(downloaded).toBeLessThanOrEqual(new Set(downloads).size + fileKills);

    await last?.stop();
    const { log } = world;
    const countRounds = () => log.filter((line) => /Enrollment: read/.test(line)).length;
    const rounds = countRounds();
    start();
    // The first round shows in Helium who has signed in again.
    await waitUntil(() => countRounds() > rounds);
    await expectNoEcho(world);
    expect([...(await files.findDifferences()), ...(await users.findDifferences())]).toEqual([]);
    expect(downloads.length - failures).toBe(downloaded);
    console.log(`seed ${seed}: ${fileKills} kills, ${downloaded} downloads, ${failures} failures, ${users.requests}`);
  },
  fileKills * 4_000 + 120_000,
);
