import { expect, test } from 'vitest';
import type { FieldMap } from '../mapping/object-map.ts';
import type { Fields } from '../record/fields.ts';
import { keyText } from '../record/record-key.ts';
import { splitDeferredReferences } from './write-steps.ts';

const fields: readonly FieldMap[] = [
  { column: 'name', field: 'name', kind: 'text' },
  { column: 'region_fk', field: 'region', kind: 'reference', references: 'region' },
  { column: 'photo', field: 'photo', kind: 'blob' },
];
const pending = new Set([keyText({ table: 'region', id: 'aa' })]);

function split(values: Fields, isInsert = true) {
  const { immediate, deferred, blobs } = splitDeferredReferences(fields, { fields: values, isInsert }, pending);
  const columns = (of: readonly FieldMap[]) => of.map(({ column }) => column);
  return { immediate: columns(immediate), deferred: columns(deferred), blobs: columns(blobs) };
}

test('defers a reference to a row that is inserted later, whatever the case of its id', () => {
  expect(split({ name: 'x', region_fk: 'AA' })).toEqual({ immediate: ['name'], deferred: ['region_fk'], blobs: [] });
});

test('writes a reference to an existing row, or to none, immediately', () => {
  for (const region_fk of ['bb', null])
    expect(split({ region_fk })).toEqual({ immediate: ['region_fk'], deferred: [], blobs: [] });
});

test('defers nothing in an update, because it runs after all inserts', () => {
  expect(split({ region_fk: 'aa' }, false)).toEqual({ immediate: ['region_fk'], deferred: [], blobs: [] });
});

test('writes the bytes of a blob in a separate step, and an emptied blob immediately', () => {
  expect(split({ photo: 'hash' })).toEqual({ immediate: [], deferred: [], blobs: ['photo'] });
  expect(split({ photo: null })).toEqual({ immediate: ['photo'], deferred: [], blobs: [] });
});

test('writes nothing to a column named constructor that a change does not contain', () => {
  const { immediate } = splitDeferredReferences(
    [{ column: 'constructor', field: 'constructor', kind: 'text' }],
    { fields: { name: 'x' }, isInsert: false },
    pending,
  );
  expect(immediate).toEqual([]);
});
