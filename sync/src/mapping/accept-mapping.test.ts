import { expect, it } from 'vitest';
import { acceptMapping } from './accept-mapping.ts';
import type { FieldMap, Mapping } from './object-map.ts';

const source = { attribute: 3, columnType: 'text', fieldType: 'single-choice' };
const crop: FieldMap = { column: 'crop', field: 'crop', kind: 'choice', choices: ['tea', 'maize'], source };
const createMapping = (fields: readonly FieldMap[], oid = '1'): Mapping => ({
  objects: [{ table: 'farm', oid, model: 'farm', fields, toJourney: true, toHelium: true }],
  notes: [],
  fingerprint: '',
});
const before = createMapping([crop]);
const whole = [{ table: 'farm', column: 'crop' }];

it.each([
  ['has another number', { source: { ...source, attribute: 4 } }],
  ['has another type of the same kind', { source: { ...source, columnType: 'character varying(3)' } }],
  ['belongs to a field of another type', { source: { ...source, fieldType: 'text' } }],
  ['belongs to a field of another name', { field: 'Crop' }],
])('reads a table in full and forgets a column that %s', (_, change) => {
  const { unknown, newTables, breaking } = acceptMapping(before, createMapping([{ ...crop, ...change }]), false);
  expect({ unknown, newTables, breaking }).toEqual({ unknown: whole, newTables: ['farm'], breaking: [] });
});

it('forgets nothing when a table was restored, whose columns have other numbers', () => {
  const restored = createMapping([{ ...crop, source: { ...source, attribute: 4 } }], '2');
  expect(acceptMapping(before, restored, false)).toMatchObject({ unknown: [], newTables: [] });
});

it('forgets a field that was lost when it is back, with and without a save', () => {
  const { accepted, unknown } = acceptMapping(before, createMapping([]), false);
  expect(unknown).toEqual([]);
  for (const isSaved of [false, true])
    expect(acceptMapping(accepted, before, isSaved)).toMatchObject({ unknown: whole, newTables: ['farm'] });
  const saved = acceptMapping(accepted, createMapping([]), true).accepted;
  expect(acceptMapping(saved, before, false)).toMatchObject({ unknown: whole, newTables: ['farm'] });
});

it('forgets only the values of deleted choices once the integration is saved', () => {
  const fewer = createMapping([{ ...crop, choices: ['maize'] }]);
  expect(acceptMapping(before, fewer, false).unknown).toEqual([]);
  expect(acceptMapping(before, fewer, true).unknown).toEqual([{ table: 'farm', column: 'crop', values: ['tea'] }]);
});
