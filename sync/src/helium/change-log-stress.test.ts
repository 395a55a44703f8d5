import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectMap } from '../mapping/object-map.ts';
import { correctReader, createFollower, type Reader } from './follower.fixture.ts';
import { createHeliumFixture, foreignKey, type HeliumFixture } from './helium-gateway.fixture.ts';
import { createDice, refuseUnloggedDeletion, writeAtRandom } from './random-writer.fixture.ts';

/** The soak sets others. */
const seed = Number(process.env.SEED ?? 20_261_126);
const writers = 8;
const transactions = 60;

const object = (table: string, parent?: string): ObjectMap => ({
  table,
  model: table,
  fields: [
    { column: 'name', field: 'name', kind: 'text' },
    ...(parent ? [{ column: `${parent}_fk`, field: parent, kind: 'reference', references: parent } as const] : []),
  ],
  toJourney: true,
  toHelium: true,
});
const objects = [object('region'), object('shop', 'region'), object('visit', 'shop')];

const [oldest, ...newer] = findTestVersions();
const versions = [oldest, newer.at(-1)].filter((version) => version !== undefined);

describe.each(versions)('many concurrent writers on $name', (version) => {
  let server: TestServer;
  let fixture: HeliumFixture;

  beforeAll(async () => {
    server = await version.startExclusive({ max_prepared_transactions: '20' });
    fixture = await createHeliumFixture({
      tables: { region: ['name text'], shop: ['name text', 'region_fk uuid'], visit: ['name text', 'shop_fk uuid'] },
      sql:
        foreignKey('shop', 'region_fk', 'region') +
        foreignKey('visit', 'shop_fk', 'shop', 'cascade') +
        refuseUnloggedDeletion(['region', 'shop', 'visit']),
      serverUrl: server.url,
    });
  });
  afterAll(async () => {
    await fixture.drop();
    await server.stop();
  });

  async function follow(reader: Reader) {
    const follower = createFollower(fixture, objects, reader);
    let isWriting = true;
    const writing = Array.from({ length: writers }, async (_, index) =>
      writeAtRandom(await fixture.connect(), `${seed}-${index}`, transactions, createDice(seed + index)),
    );
    const written = Promise.all(writing).finally(() => {
      isWriting = false;
    });
    const reading = (async () => {
      while (isWriting) await follower.poll();
    })();
    await Promise.all([written, reading]);
    return follower.settle();
  }

  it('reads the change log of many concurrent writers without loss, and mirrors every row', async () => {
    const { missed, different } = await follow(correctReader);
    expect({ seed, missed, different }).toEqual({ seed, missed: [], different: [] });
    const { rows } = await fixture.pool.query<{ logged: number }>(
      'select count(*)::int as logged from shop__app_001.__he_sync_obj_change__',
    );
    expect(rows[0]?.logged).toBeGreaterThan(writers * transactions);
  });
});
