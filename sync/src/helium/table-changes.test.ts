import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHeliumFixture, type HeliumFixture, newId, schema } from './helium-gateway.fixture.ts';
import { TableChanges } from './table-changes.ts';

describe('TableChanges', () => {
  let helium: HeliumFixture;
  let changes: TableChanges;
  let [one, two]: pg.Client[] = [];
  beforeAll(async () => {
    helium = await createHeliumFixture({ tables: { person: ['name text'], other: ['name text'] } });
    [one, two] = [await helium.connect(), await helium.connect()];
  });
  beforeEach(async () => {
    changes = new TableChanges(helium.pool, schema, ['person']);
    expect(await changes.check()).toBe(true);
    expect(await changes.check()).toBe(false);
  });
  afterAll(() => helium.drop());

  const insert = (session: pg.Client | undefined, table: string) =>
    session?.query(`insert into ${table} (_id_, _tstamp_) values ($1, now())`, [newId()]);

  it('reports a committed change of its tables once, and no change of others', async () => {
    await insert(one, 'other');
    expect(await changes.check()).toBe(false);
    await insert(one, 'person');
    expect([await changes.check(), changes.hasWriters]).toEqual([true, false]);
    expect(await changes.check()).toBe(false);
  });

  it('reports each change of overlapping transactions, in whatever order they commit', async () => {
    await one?.query('begin');
    await insert(one, 'person');
    await insert(two, 'person');
    expect([await changes.check(), changes.hasWriters]).toEqual([true, true]);
    expect([await changes.check(), changes.hasWriters]).toEqual([false, true]);
    await insert(two, 'person');
    expect(await changes.check()).toBe(true);
    await one?.query('commit');
    expect([await changes.check(), changes.hasWriters]).toEqual([true, false]);
    expect(await changes.check()).toBe(false);
  });

  it('reports the change of a transaction that ends between two checks of a later one', async () => {
    await one?.query('begin');
    await insert(one, 'person');
    await two?.query('begin');
    await insert(two, 'person');
    expect([await changes.check(), changes.hasWriters]).toEqual([false, true]);
    await two?.query('commit');
    expect([await changes.check(), changes.hasWriters]).toEqual([true, true]);
    await one?.query('commit');
    expect([await changes.check(), changes.hasWriters]).toEqual([true, false]);
  });

  it('counts everything as changed after a reset', async () => {
    changes.reset();
    expect([await changes.check(), await changes.check()]).toEqual([true, false]);
  });

  it('accepts a table that does not exist', async () => {
    const missing = new TableChanges(helium.pool, schema, ['absent']);
    expect([await missing.check(), await missing.check()]).toEqual([true, false]);
  });
});
