import { inTransaction } from '@portal/kit/postgres/pool';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { Fields } from '../record/fields.ts';
import { atMs, createHeliumFixture, foreignKey, type HeliumFixture, newId, schema } from './helium-gateway.fixture.ts';
import type { HeliumWrite } from './helium-gateway.ts';
import { withLimitedWaits } from './limit-waits.ts';

let fixture: HeliumFixture;

beforeAll(async () => {
  fixture = await createHeliumFixture({
    tables: {
      region: ['name varchar(10)', 'code text unique', 'head_fk uuid'],
      node: ['peer_fk uuid not null'],
      shop: ['name text not null', 'size integer', 'region_fk uuid', 'parent_fk uuid'],
      photo: [
        'image bytea',
        'image_fname__ varchar(255)',
        'image_mtype__ varchar(255)',
        'image_size__ integer',
        'bare bytea',
      ],
    },
    sql: [
      foreignKey('region', 'head_fk', 'shop'),
      foreignKey('node', 'peer_fk', 'node'),
      foreignKey('shop', 'region_fk', 'region'),
      foreignKey('shop', 'parent_fk', 'shop', 'restrict'),
    ].join(''),
  });
});
afterAll(() => fixture.drop());
beforeEach(async () => {
  await fixture.pool.query('truncate shop__app_001.region, shop__app_001.shop, shop__app_001.photo');
});

const both = { toJourney: true, toHelium: true };
const regionMap: ObjectMap = {
  table: 'region',
  model: 'region',
  fields: [
    { column: 'name', field: 'name', kind: 'text' },
    { column: 'code', field: 'code', kind: 'text' },
    { column: 'head_fk', field: 'head', kind: 'reference', references: 'shop' },
  ],
  ...both,
};
const shopMap: ObjectMap = {
  table: 'shop',
  model: 'shop',
  fields: [
    { column: 'name', field: 'name', kind: 'text' },
    { column: 'size', field: 'size', kind: 'integer' },
    { column: 'region_fk', field: 'region', kind: 'reference', references: 'region' },
    { column: 'parent_fk', field: 'parent', kind: 'reference', references: 'shop' },
  ],
  ...both,
};
const photo: ObjectMap = {
  table: 'photo',
  model: 'photo',
  fields: [
    { column: 'image', field: 'image', kind: 'blob', attachment: 'photo' },
    { column: 'bare', field: 'bare', kind: 'blob', attachment: 'attachment' },
  ],
  ...both,
};
const nodeMap: ObjectMap = {
  table: 'node',
  model: 'node',
  fields: [{ column: 'peer_fk', field: 'peer', kind: 'reference', references: 'node', isRequired: true }],
  ...both,
};
const objects = [regionMap, shopMap, photo, nodeMap];

const region = (id: string, fields: Fields = {}): HeliumWrite => ({
  key: { table: 'region', id },
  fields: { name: 'North', code: null, head_fk: null, ...fields },
  isInsert: true,
  changedAtMs: atMs,
});
const shop = (id: string, fields: Fields = {}): HeliumWrite => ({
  key: { table: 'shop', id },
  fields: { name: 'Corner', size: 1, region_fk: null, parent_fk: null, ...fields },
  isInsert: true,
  changedAtMs: atMs,
});
const change = (table: string, id: string, fields: Fields): HeliumWrite => ({
  key: { table, id },
  fields,
  isInsert: false,
  changedAtMs: atMs + 1_000,
});
const removal = (table: string, id: string): HeliumWrite => ({
  key: { table, id },
  fields: null,
  isInsert: false,
  changedAtMs: atMs,
});

const write = (...writes: HeliumWrite[]) => fixture.write(objects, writes);
const read = async (map: ObjectMap, id: string) => (await fixture.gateway.readRows(fixture.pool, map, [id]))[0] ?? null;
const written = { status: 'written' };

describe('write order', () => {
  it('inserts rows whose required references lead to themselves, to each other, or nowhere', async () => {
    const [self, one, other, lost] = [newId(), newId(), newId(), newId()];
    const node = (id: string, peer: string | null): HeliumWrite => ({
      key: { table: 'node', id },
      fields: { peer_fk: peer },
      isInsert: true,
      changedAtMs: atMs,
    });
    const outcomes = await write(node(self, self), node(one, other), node(other, one), node(lost, null));
    const reason = 'peer_fk is empty; Helium requires a value.';
    expect(outcomes).toMatchObject([written, written, written, { status: 'refused', reason }]);
    expect((await read(nodeMap, one))?.fields).toEqual({ peer_fk: other });
  });

  it('inserts parents before children whatever their order, and resolves cycles in a second pass', async () => {
    const [north, corner, branch] = [newId(), newId(), newId()];
    const outcomes = await write(
      shop(branch, { parent_fk: corner, region_fk: north }),
      shop(corner, { region_fk: north }),
      region(north, { head_fk: branch }),
    );
    expect(outcomes).toEqual([written, written, written]);
    expect((await read(regionMap, north))?.fields.head_fk).toBe(branch);
    expect((await read(shopMap, branch))?.fields).toMatchObject({ parent_fk: corner, region_fk: north });
  });

  it('logs each row once, even with a second pass', async () => {
    const [north, corner] = [newId(), newId()];
    const before = await fixture.gateway.readHead();
    await write(region(north, { head_fk: corner }), shop(corner, { region_fk: north }));
    const { rows } = await fixture.pool.query(
      'select change from shop__app_001.__he_sync_obj_change__ where seq > $1',
      [before],
    );
    expect(rows).toEqual([{ change: 'create' }, { change: 'create' }]);
  });

  it('deletes children before the parents they depend on', async () => {
    const [corner, branch] = [newId(), newId()];
    await write(shop(corner), shop(branch, { parent_fk: corner }));
    expect(await write(removal('shop', corner), removal('shop', branch))).toEqual([written, written]);
    expect(await read(shopMap, corner)).toBeNull();
  });

  it('moves a unique key from a deleted row to an inserted one', async () => {
    const [old, fresh] = [newId(), newId()];
    await write(region(old, { code: 'N' }));
    expect(await write(region(fresh, { code: 'N' }), removal('region', old))).toEqual([written, written]);
  });
});

describe('parked writes', () => {
  it('parks writes that lack a parent, and writes that depend on a parked one', async () => {
    const [nowhere, corner, branch, free] = [newId(), newId(), newId(), newId()];
    const outcomes = await write(shop(corner, { region_fk: nowhere }), shop(branch, { parent_fk: corner }), shop(free));
    expect(outcomes).toEqual([
      { status: 'parked', missing: [{ table: 'region', id: nowhere }] },
      { status: 'parked', missing: [{ table: 'shop', id: corner }] },
      written,
    ]);
    expect(await read(shopMap, branch)).toBeNull();
  });

  it('parks the child of a refused parent, even when the reference is set in the second pass', async () => {
    const [north, corner] = [newId(), newId()];
    const outcomes = await write(region(north, { head_fk: corner }), shop(corner, { size: 3_000_000_000 }));
    expect(outcomes).toEqual([
      { status: 'parked', missing: [{ table: 'shop', id: corner }] },
      {
        status: 'refused',
        kind: '22003',
        reason: "size: 3000000000 is outside the column's range (-2147483648 to 2147483647).",
      },
    ]);
    expect(await read(regionMap, north)).toBeNull();
  });

  it('locks a parent it found, so that it cannot be deleted before the child is written', async () => {
    const north = newId();
    await write(region(north));
    const other = await fixture.connect();
    await other.query("set lock_timeout = '20ms'");
    await inTransaction(fixture.pool, async (client) => {
      await fixture.gateway.write(client, objects, [shop(newId(), { region_fk: north })]);
      await expect(other.query('delete from region where _id_ = $1', [north])).rejects.toThrow('lock timeout');
    });
  });
});

describe('refused writes', () => {
  it('finds the bad rows among many and writes the others', async () => {
    const ids = Array.from({ length: 100 }, newId);
    const bad: Readonly<Record<number, Fields>> = { 13: { name: null }, 57: { name: 'a\0b' }, 99: { size: 1.5 } };
    const outcomes = await write(...ids.map((id, index) => shop(id, bad[index])));
    const refused = outcomes.flatMap((outcome, index) => (outcome.status === 'refused' ? [[index, outcome.kind]] : []));
    expect(refused).toEqual([
      [13, '23502'],
      [57, '22021'],
      [99, '22P02'],
    ]);
    expect((await fixture.pool.query(`select from ${schema}.shop`)).rowCount).toBe(97);
  });

  it('does not truncate texts that are too long, nor split a character', async () => {
    const outcomes = await write(region(newId(), { name: 'eleven char' }), region(newId(), { name: '\ud800' }));
    expect(outcomes.map((outcome) => outcome.status === 'refused' && outcome.kind)).toEqual(['22001', '22P02']);
  });

  it('refuses the second of two rows with the same unique key, and names the key', async () => {
    const [one, other] = await write(region(newId(), { code: 'N' }), region(newId(), { code: 'N' }));
    expect([one?.status, other?.status].sort()).toEqual(['refused', 'written']);
    expect([one, other].find((outcome) => outcome?.status === 'refused')).toMatchObject({
      kind: '23505',
      reason: expect.stringMatching(/^code: 'N' must be unique; another record has the same\. In Helium, region\//),
    });
  });

  it('refuses a change of a row that no longer exists', async () => {
    expect(await write(change('shop', newId(), { size: 2 }))).toMatchObject([{ status: 'refused', kind: 'gone' }]);
  });

  it('refuses a write that took too long for a moment, and makes all others', async () => {
    const [slow, quick] = [newId(), newId()];
    await write(shop(slow), shop(quick));
    await fixture.pool.query(`create function ${schema}.linger() returns trigger language plpgsql as
      $$ begin if new.name = 'Slow' then perform pg_sleep(60); end if; return new; end $$;
      create trigger linger before update on ${schema}.shop for each row execute function ${schema}.linger()`);
    const outcomes = await inTransaction(fixture.pool, async (client) => {
      await client.query("set local statement_timeout = '100ms'");
      return fixture.gateway.write(client, objects, [
        change('shop', slow, { name: 'Slow' }),
        change('shop', quick, { size: 2 }),
      ]);
    });
    expect(outcomes).toMatchObject([{ status: 'refused', kind: '57014', isTemporary: true }, written]);
    await fixture.pool.query(`drop function ${schema}.linger cascade`);
  });

  it('throws when the connection is lost, whatever has ended it', async () => {
    await fixture.pool.query(`create function ${schema}.hang_up() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger hang_up before insert on ${schema}.shop for each row execute function ${schema}.hang_up()`);
    await expect(write(shop(newId()))).rejects.toMatchObject({ code: '57P01' });
    await fixture.pool.query(`drop function ${schema}.hang_up cascade`);
  });
});

describe('writes that meet a lock of another session', () => {
  const writeBriefly = (...writes: readonly HeliumWrite[]) =>
    inTransaction(fixture.pool, (client) =>
      withLimitedWaits(client, () => fixture.gateway.write(client, objects, writes)),
    );

  it('wait, and all others are written', async () => {
    const ids = Array.from({ length: 100 }, newId);
    await write(...ids.map((id) => shop(id, { size: 1 })));
    const other = await fixture.connect();
    await other.query('begin');
    await other.query('select from shop where _id_ = $1 for update', [ids[37]]);
    const outcomes = await writeBriefly(...ids.map((id) => change('shop', id, { size: 2 })));
    await other.query('rollback');
    expect(outcomes.flatMap(({ status }, index) => (status === 'waiting' ? [index] : []))).toEqual([37]);
    expect(outcomes[37]).toMatchObject({ reason: expect.stringContaining('in relation "shop"') });
    const { rows } = await fixture.pool.query(`select count(*)::int as changed from ${schema}.shop where size = 2`);
    expect(rows[0]?.changed).toBe(99);
  });

  it('wait when they are inserted and the id has been taken since, and change nothing of that row', async () => {
    const [taken, uncommitted, free] = [newId(), newId(), newId()];
    await write(shop(taken, { name: 'Theirs', size: 7 }));
    const other = await fixture.connect();
    await other.query('begin');
    await other.query('insert into shop (_id_, _tstamp_, name) values ($1, now(), $2)', [uncommitted, 'Theirs too']);
    const outcomes = await writeBriefly(shop(taken, { name: 'Ours' }), shop(uncommitted), shop(free));
    await other.query('commit');
    expect(outcomes.map(({ status }) => status)).toEqual(['waiting', 'waiting', 'written']);
    expect(outcomes[0]).toMatchObject({ reason: expect.stringContaining('has had a row with this id') });
    expect((await read(shopMap, taken))?.fields).toMatchObject({ name: 'Theirs', size: 7 });
    expect((await read(shopMap, uncommitted))?.fields).toMatchObject({ name: 'Theirs too' });
  });

  it('wait together with the rows that refer to them, and with a parent that may be deleted', async () => {
    const [north, south, corner, branch, twig] = [newId(), newId(), newId(), newId(), newId()];
    await write(region(north), region(south), shop(corner));
    const other = await fixture.connect();
    await other.query('begin');
    await other.query('delete from region where _id_ = $1', [north]);
    const outcomes = await writeBriefly(
      shop(branch, { region_fk: north }),
      shop(twig, { parent_fk: branch }),
      shop(newId(), { region_fk: south }),
      shop(newId(), { region_fk: newId() }),
    );
    await other.query('rollback');
    expect(outcomes.map(({ status }) => status)).toEqual(['waiting', 'waiting', 'written', 'parked']);
    expect(outcomes[0]).toMatchObject({ reason: expect.stringMatching(/^region\/.* is locked: held \d+ s by pid/) });
  });

  it('do not wait for a session that adds a child to the row', async () => {
    const north = newId();
    await write(region(north));
    const other = await fixture.connect();
    await other.query('begin');
    await other.query('insert into shop (_id_, _tstamp_, name, region_fk) values ($1, now(), $2, $3)', [
      newId(),
      'x',
      north,
    ]);
    expect(await writeBriefly(change('region', north, { name: 'North' }))).toEqual([written]);
    await other.query('commit');
  });

  it('keep others waiting for a limited time, however many rows are locked', async () => {
    const ids = Array.from({ length: 300 }, newId);
    await write(...ids.map((id) => shop(id, { size: 1 })));
    const other = await fixture.connect();
    await other.query('begin; select from shop for update');
    await inTransaction(fixture.pool, async (client) => {
      const query = vi.spyOn(client, 'query');
      const writes = ids.map((id) => change('shop', id, { size: 2 }));
      const outcomes = await withLimitedWaits(client, () => fixture.gateway.write(client, objects, writes));
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['waiting']));
      // Without a limit, it would be 600. All but the first wait for a hundredth of a second.
      const attempts = query.mock.calls.filter(([first]) => JSON.stringify(first).includes('returning there._id_'));
      expect(attempts.length).toBeLessThan(80);
      query.mockRestore();
    });
    await other.query('rollback');
  });
});

it('changes only the given columns and the timestamp', async () => {
  const id = newId();
  await write(shop(id, { size: 7 }));
  await write(change('shop', id, { name: 'Market' }));
  expect(await read(shopMap, id)).toMatchObject({
    id,
    fields: { name: 'Market', size: 7, region_fk: null, parent_fk: null },
    changedAtMs: atMs + 1_000,
  });
});

it('keeps using prepared statements when the app gains a column', async () => {
  const [one, other] = [newId(), newId()];
  await write(region(one));
  await fixture.pool.query(
    'alter table shop__app_001.region add column fresh integer, alter column code type varchar(90)',
  );
  expect(await write(region(other), change('region', one, { name: 'South' }))).toEqual([written, written]);
  expect((await read(regionMap, one))?.fields.name).toBe('South');
});

it('writes a blob with its companion columns, cut to what they take, and empties them together', async () => {
  const id = newId();
  const blob = { bytes: Buffer.from([0, 1, 255]), fileName: 'a.png', mediaType: 'image/png' };
  const insert = { ...region(id), key: { table: 'photo', id }, fields: { image: 'sha256:x', bare: 'sha256:x' } };
  expect(await write({ ...insert, blobs: { image: blob, bare: blob } })).toEqual([written]);
  expect(await fixture.gateway.readBlob(fixture.pool, photo, id, 'image')).toEqual(blob);
  expect(await fixture.gateway.readBlob(fixture.pool, photo, id, 'bare')).toEqual({
    ...blob,
    fileName: 'bare',
    mediaType: 'application/octet-stream',
  });
  const long = { ...blob, fileName: `${'a'.repeat(300)}.png`, mediaType: `image/png; name=${'a'.repeat(300)}` };
  expect(await write({ ...change('photo', id, { image: 'sha256:x' }), blobs: { image: long } })).toEqual([written]);
  expect(await fixture.gateway.readBlob(fixture.pool, photo, id, 'image')).toEqual({
    ...blob,
    fileName: `${'a'.repeat(251)}.png`,
    mediaType: long.mediaType.slice(0, 255),
  });
  await write(change('photo', id, { image: null }));
  const { rows } = await fixture.pool.query(
    'select image, image_fname__, image_mtype__, image_size__ from shop__app_001.photo',
  );
  expect(rows).toEqual([{ image: null, image_fname__: null, image_mtype__: null, image_size__: null }]);
  expect((await read(photo, id))?.fields.bare).toMatch(/^sha256:[0-9a-f]{64}$/);
});

describe('statements that PostgreSQL refuses whatever their rows are', () => {
  it('throws with the table when a right is missing', async () => {
    await fixture.pool.query(`create role writer; grant writer to current_user;
      grant usage on schema ${schema} to writer; grant select, update on all tables in schema ${schema} to writer`);
    const written = inTransaction(fixture.pool, async (db) => {
      await db.query('set local role writer');
      return fixture.gateway.write(db, objects, [region(newId()), region(newId())]);
    });
    await expect(written).rejects.toThrow('Helium refuses every insert of region: permission denied for table region.');
  });

  it('throws the error of a database that takes no writes, which ends without an operator', async () => {
    const written = inTransaction(fixture.pool, async (db) => {
      await db.query('set transaction read only');
      return fixture.gateway.write(db, objects, [region(newId())]);
    });
    await expect(written).rejects.toMatchObject({ code: '25006' });
  });
});
