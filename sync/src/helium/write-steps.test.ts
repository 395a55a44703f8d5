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
const toCome = new Set([keyText({ table: 'region', id: 'aa' })]);

function split(values: Fields, isInsert = true) {
  const { immediate, deferred, blobs } = splitDeferredReferences(fields, { fields: values, isInsert }, toCome);
  const columns = (of: readonly FieldMap[]) => of.map(({ column }) => column);
  return { immediate: columns(immediate), deferred: columns(deferred), blobs: columns(blobs) };
}

test('a reference at a row that is still to come is deferred, however its id is written', () => {
  expect(split({ name: 'x', region_fk: 'AA' })).toEqual({ immediate: ['name'], deferred: ['region_fk'], blobs: [] });
});

test('a reference at a row that is there, or at none, is written at once', () => {
  for (const region_fk of ['bb', null])
    expect(split({ region_fk })).toEqual({ immediate: ['region_fk'], deferred: [], blobs: [] });
});

test('nothing of an update is deferred: it comes after all inserts', () => {
  expect(split({ region_fk: 'aa' }, false)).toEqual({ immediate: ['region_fk'], deferred: [], blobs: [] });
});

test('the bytes of a blob have a step of their own; one that is emptied does not', () => {
  expect(split({ photo: 'hash' })).toEqual({ immediate: [], deferred: [], blobs: ['photo'] });
  expect(split({ photo: null })).toEqual({ immediate: ['photo'], deferred: [], blobs: [] });
});
