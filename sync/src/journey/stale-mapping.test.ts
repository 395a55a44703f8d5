import { expect, it } from 'vitest';
import { journeyCatalog, model } from '../mapping/catalogs.fixture.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { hasAllFields, hasMissingFields } from './stale-mapping.ts';

const map: ObjectMap = {
  table: 'visit',
  model: 'Visit',
  toJourney: true,
  toHelium: true,
  fields: [
    { column: 'note', field: 'Note', kind: 'text' },
    { column: 'photo', field: 'photo', kind: 'blob', attachment: 'photo' },
    { column: 'farm_fk', field: 'farm', kind: 'reference', references: 'farm' },
  ],
};
const object = { id: '1', type: 'Visit', updated_at: null, Note: null, photo: null, photo_id: null, farm_id: null };

it('reports a field that the object lacks under its Journey name', () => {
  const { Note: _note, ...withoutNote } = object;
  const { farm_id: _farm, ...withoutFarm } = object;
  const { photo: _photo, ...withPhotoId } = object;
  const { photo_id: _id, ...withoutPhoto } = withPhotoId;
  expect(hasMissingFields(map, object)).toBe(false);
  expect(hasMissingFields(map, withPhotoId)).toBe(false);
  expect(hasMissingFields(map, withoutNote)).toBe(true);
  expect(hasMissingFields(map, { ...withoutFarm, farm: null })).toBe(true);
  expect(hasMissingFields(map, withoutPhoto)).toBe(true);
});

it('checks whether a model still has all mapped fields', () => {
  const has = (fields: Record<string, string>, name = 'Visit') =>
    hasAllFields(map, journeyCatalog(model(name, fields)));
  expect(has({ Note: 'text', photo: 'photo', farm: '→ Farm', more: 'text' })).toBe(true);
  expect(has({ note: 'text', photo: 'photo', farm: '→ Farm' })).toBe(false);
  expect(has({ Note: 'text', photo: 'photo', farm: 'text' })).toBe(false);
  expect(has({ Note: 'text', photo: 'photo', farm: '→ Farm' }, 'Call')).toBe(false);
});
