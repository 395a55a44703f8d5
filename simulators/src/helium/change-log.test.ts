import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChangeLogFixture, createChangeLogFixture } from './change-log.fixture.ts';

let fixture: ChangeLogFixture;
let client: pg.Client;

beforeAll(async () => {
  fixture = await createChangeLogFixture();
  client = fixture.client;
});
afterAll(() => fixture.drop());
beforeEach(() => fixture.clear());

const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
const insert = `insert into shop (_id_, _tstamp_, name) values ('${id}', now(), 'A');`;
const update = `update shop set name = name || 'x' where _id_ = '${id}';`;
const deletion = `delete from shop where _id_ = '${id}';`;

const changes = async () => (await fixture.log()).map(({ change }) => change);
const inOne = (...statements: string[]) => client.query(`begin; ${statements.join(' ')} commit;`);
const row = async () =>
  (await client.query(`select _tx_id_, _change_type_, _change_seq_::int from shop where _id_ = '${id}'`)).rows[0];

describe('change log insert', () => {
  it('logs create with the row’s own number and transaction', async () => {
    await client.query(insert);
    const { _tx_id_, _change_type_, _change_seq_ } = await row();
    expect(_change_type_).toBe('create');
    expect(await fixture.log()).toEqual([{ seq: _change_seq_, change: 'create', table: 'shop', id, txId: _tx_id_ }]);
  });
});

describe('change log update', () => {
  it('logs update with a new number and this transaction for a row of an earlier transaction', async () => {
    await client.query(insert);
    const before = await row();
    await client.query(update);
    const after = await row();
    expect(after._change_type_).toBe('update');
    expect(after._change_seq_).toBeGreaterThan(before._change_seq_);
    expect(after._tx_id_).not.toBe(before._tx_id_);
    const [, logged] = await fixture.log();
    expect(logged).toEqual({ seq: after._change_seq_, change: 'update', table: 'shop', id, txId: after._tx_id_ });
  });

  it('logs nothing and keeps the number after the first update in a transaction', async () => {
    await client.query(insert);
    await inOne(update, update, update);
    const log = await fixture.log();
    expect(log.map(({ change }) => change)).toEqual(['create', 'update']);
    expect((await row())._change_seq_).toBe(log[1]?.seq);
  });

  it('logs nothing more for a row created in this transaction', async () => {
    await inOne(insert, update);
    expect(await changes()).toEqual(['create']);
    expect((await row())._change_type_).toBe('create');
  });

  it('logs the row again when only its id is set to itself', async () => {
    await client.query(insert);
    await client.query('update shop set _id_ = _id_');
    expect(await changes()).toEqual(['create', 'update']);
  });

  it('logs an upsert of an existing row as an update', async () => {
    await client.query(insert);
    await client.query(`${insert.slice(0, -1)} on conflict (_id_) do update set name = 'B'`);
    expect(await changes()).toEqual(['create', 'update']);
  });
});

describe('change log delete', () => {
  it('logs delete with a new number for a row of an earlier transaction', async () => {
    await client.query(insert);
    const before = await row();
    await client.query(deletion);
    const log = await fixture.log();
    expect(log.map(({ change }) => change)).toEqual(['create', 'delete']);
    expect(log[1]?.seq).toBeGreaterThan(before._change_seq_);
    expect(log[1]?.txId).not.toBe(log[0]?.txId);
  });

  it('removes all entries of a row created in this transaction', async () => {
    await inOne(insert, update, deletion);
    expect(await changes()).toEqual([]);
  });

  it('replaces the update of this transaction by a delete with a new number', async () => {
    await client.query(insert);
    await client.query('begin');
    await client.query(update);
    const updated = await row();
    await client.query(deletion);
    await client.query('commit');
    const log = await fixture.log();
    expect(log.map(({ change }) => change)).toEqual(['create', 'delete']);
    expect(log[1]?.seq).toBeGreaterThan(updated._change_seq_);
  });

  it('logs nothing when an old id is inserted and deleted in one transaction (a gap in the platform)', async () => {
    await client.query(insert);
    await inOne(deletion, insert, deletion);
    expect(await changes()).toEqual(['create']);
  });
});

describe('other changes in the change log', () => {
  const insertChild = `insert into purchase (_id_, _tstamp_, amount, shop_fk) values (gen_random_uuid(), now(), 1, '${id}');`;

  it('logs an update of the child when deleting its parent clears the reference', async () => {
    await client.query(insert);
    await client.query(insertChild);
    await client.query(deletion);
    const log = await fixture.log();
    expect(
      log
        .slice(2)
        .map(({ change, table }) => `${change} ${table}`)
        .sort(),
    ).toEqual(['delete shop', 'update purchase']);
    expect((await client.query('select shop_fk from purchase')).rows).toEqual([{ shop_fk: null }]);
  });

  it('passes a changed parent id on to the child', async () => {
    await client.query(insert);
    await client.query(insertChild);
    await client.query('update shop set _id_ = gen_random_uuid()');
    expect(
      (await fixture.log())
        .slice(2)
        .map(({ change, table }) => `${change} ${table}`)
        .sort(),
    ).toEqual(['update purchase', 'update shop']);
  });

  it('logs nothing for a rolled-back transaction', async () => {
    await client.query(`begin; ${insert} rollback;`);
    expect(await changes()).toEqual([]);
  });

  it('logs nothing for TRUNCATE', async () => {
    await client.query(insert);
    await client.query('truncate shop cascade');
    expect(await changes()).toEqual(['create']);
  });

  it('logs plain SQL without a transaction entry', async () => {
    await client.query(insert);
    expect((await client.query('select from __he_sync_transaction_log__')).rowCount).toBe(0);
  });

  it('adds no columns to an untracked table and logs nothing for it', async () => {
    await client.query('insert into cache (_id_, _tstamp_, amount) values (gen_random_uuid(), now(), 1)');
    const { rows } = await client.query('select * from cache');
    expect(Object.keys(rows[0])).toEqual(['_id_', '_tstamp_', 'amount']);
    expect(await changes()).toEqual([]);
  });

  it('can show a lower number after a higher one', async () => {
    const other = await fixture.connect();
    await client.query(`begin; ${insert}`);
    await other.query(`insert into shop (_id_, _tstamp_) values (gen_random_uuid(), now())`);
    const { rows: seenFirst } = await other.query('select seq::int from __he_sync_obj_change__');
    await client.query('commit');
    const seqs = (await fixture.log()).map(({ seq }) => seq);
    expect(seenFirst).toEqual([{ seq: Math.max(...seqs) }]);
    expect(seqs).toHaveLength(2);
  });
});

describe('change log schema', () => {
  it('gives every log a child table, which rejects negative transaction ids', async () => {
    const { rows } = await client.query(
      `select c.relname as child, p.relname as parent from pg_inherits i
       join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent order by 1`,
    );
    const parents = ['bookmark', 'client_request_log', 'many_to_many_unlink', 'obj_change', 'transaction_log'].map(
      (name) => `__he_sync_${name}__`,
    );
    expect(rows).toEqual(parents.map((parent) => ({ child: `${parent.slice(0, -2)}_current__`, parent })));
    await expect(
      client.query(`insert into __he_sync_obj_change_current__ values (0, 'create', 'shop', '${id}', -1)`),
    ).rejects.toThrow(/check constraint/);
  });

  it('writes to the parent, which has no index on the transaction', async () => {
    await client.query(insert);
    expect((await client.query('select from only __he_sync_obj_change__')).rowCount).toBe(1);
    expect((await client.query('select from __he_sync_obj_change_current__')).rowCount).toBe(0);
    const { rows } = await client.query(
      `select indexdef from pg_indexes where tablename like '\\_\\_he\\_sync\\_obj\\_change%' order by 1`,
    );
    expect(rows.map(({ indexdef }) => indexdef.replace(/.*ON country__app_001\./, ''))).toEqual([
      '__he_sync_obj_change_current__ USING btree (tx_id, seq)',
      '__he_sync_obj_change__ USING btree (seq)',
      '__he_sync_obj_change_current__ USING btree (seq)',
    ]);
  });

  it('adds the four triggers, the index, and the columns to each tracked table', async () => {
    const { rows: triggers } = await client.query(
      `select tgname from pg_trigger where tgrelid = 'purchase'::regclass and not tgisinternal order by 1`,
    );
    expect(triggers.map(({ tgname }) => tgname)).toEqual(
      ['delete_after', 'insert_after', 'update_after', 'update_before'].map((name) => `__he_sync_obj_${name}__`),
    );
    const { rows: indexes } = await client.query(
      `select indexname from pg_indexes where tablename = 'purchase' and indexdef like '%(_tx_id_)%'`,
    );
    expect(indexes).toEqual([{ indexname: '__idx_he_sync_purchase_txid__' }]);
    const { rows: columns } = await client.query(
      `select column_name, data_type, is_nullable from information_schema.columns where table_name = 'purchase' order by ordinal_position`,
    );
    expect(columns.map((one) => `${one.column_name} ${one.data_type} ${one.is_nullable}`)).toEqual([
      '_id_ uuid NO',
      '_tstamp_ timestamp without time zone NO',
      'amount integer YES',
      'shop_fk uuid YES',
      '_tx_id_ bigint NO',
      '_change_type_ USER-DEFINED NO',
      '_change_seq_ bigint NO',
    ]);
  });

  it('names keys and references as Helium does', async () => {
    const { rows } = await client.query(
      `select conname, pg_get_constraintdef(oid) as definition from pg_constraint
       where conrelid = 'purchase'::regclass and contype in ('p', 'f') order by 1`,
    );
    expect(rows).toEqual([
      { conname: 'purchase_pkey', definition: 'PRIMARY KEY (_id_)' },
      {
        conname: 'purchase_shop_fk_fkey',
        definition: 'FOREIGN KEY (shop_fk) REFERENCES shop(_id_) ON UPDATE CASCADE ON DELETE SET NULL',
      },
    ]);
  });

  it('logs changes made with other search paths', async () => {
    await client.query(
      `set search_path = public; ${insert.replace('shop', 'country__app_001.shop')} set search_path = country__app_001`,
    );
    expect(await changes()).toEqual(['create']);
  });
});
