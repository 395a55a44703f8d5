import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChangeLogFixture, createChangeLogFixture } from './change-log.fixture.ts';

let fixture: ChangeLogFixture;

beforeAll(async () => {
  fixture = await createChangeLogFixture();
});
afterAll(() => fixture.drop());

const kinds = ['insert', 'update', 'delete', 'updateAll'] as const;
const operation = fc.record({ kind: fc.constantFrom(...kinds), row: fc.integer({ min: 0, max: 3 }) });
const transaction = fc.record({
  commits: fc.boolean(),
  operations: fc.array(operation, { minLength: 1, maxLength: 8 }),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const getId = (row: number) => `00000000-0000-4000-8000-00000000000${row}`;

function toSql({ kind, row }: Operation): string {
  switch (kind) {
    case 'insert':
      return `insert into shop (_id_, _tstamp_) values ('${getId(row)}', now()) on conflict do nothing`;
    case 'update':
      return `update shop set name = 'x' where _id_ = '${getId(row)}'`;
    case 'delete':
      return `delete from shop where _id_ = '${getId(row)}'`;
    case 'updateAll':
      return 'update shop set _id_ = _id_';
  }
}

interface Model {
  rows: Map<string, { tx: number; type: 'create' | 'update' }>;
  log: { change: string; id: string; tx: number }[];
}

/** The rules of the change log, as its description states them. */
function apply(model: Model, { kind, row }: Operation, tx: number): void {
  const ids = kind === 'updateAll' ? [...model.rows.keys()] : [getId(row)];
  for (const id of ids) {
    const found = model.rows.get(id);
    if (kind === 'insert') {
      if (found) continue;
      model.rows.set(id, { tx, type: 'create' });
      model.log.push({ change: 'create', id, tx });
    } else if (kind === 'delete') {
      if (!found) continue;
      model.rows.delete(id);
      if (found.tx === tx) model.log = model.log.filter((entry) => entry.id !== id || entry.tx !== tx);
      if (found.tx !== tx || found.type !== 'create') model.log.push({ change: 'delete', id, tx });
    } else if (found && found.tx !== tx) {
      model.rows.set(id, { tx, type: 'update' });
      model.log.push({ change: 'update', id, tx });
    }
  }
}

/** Rows of one statement are unordered, so entries are compared per row. */
function stories(log: readonly { change: string; id: string }[]): Record<string, string[]> {
  const byId: Record<string, string[]> = {};
  for (const { change, id } of log) byId[id] = [...(byId[id] ?? []), change];
  return byId;
}

it('logs arbitrary transactions according to the rules', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 6 }), async (transactions) => {
      await fixture.clear();
      let model: Model = { rows: new Map(), log: [] };
      for (const [tx, { commits, operations }] of transactions.entries()) {
        const next: Model = { rows: new Map(model.rows), log: [...model.log] };
        for (const one of operations) apply(next, one, tx);
        await fixture.client.query(`begin; ${operations.map(toSql).join('; ')}; ${commits ? 'commit' : 'rollback'}`);
        if (commits) model = next;
      }
      const log = await fixture.log();
      expect(stories(log)).toEqual(stories(model.log));
      expect(new Set(log.map(({ seq }) => seq)).size).toBe(log.length);
      const { rows } = await fixture.client.query<{ id: string; type: string }>(
        'select _id_ as id, _change_type_ as type from shop order by 1',
      );
      expect(rows).toEqual(
        [...model.rows].map(([id, { type }]) => ({ id, type })).sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
    }),
    { numRuns: 150 },
  );
});
