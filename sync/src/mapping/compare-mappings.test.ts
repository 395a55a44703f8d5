import { expect, it } from 'vitest';
import { heliumCatalog, journeyCatalog, model, table } from './catalogs.fixture.ts';
import { compareMappings } from './compare-mappings.ts';
import { pairModels } from './pair-models.ts';

const heliumBefore = { name: 'text', age: 'integer', state: 'text', farm_fk: '→ farm', picture: 'bytea' };
const journeyBefore = {
  name: 'text',
  age: 'integer',
  state: 'single-choice Open Closed',
  farm: '→ farm',
  picture: 'photo',
};

const animal = (
  columns: Record<string, string>,
  fields: Record<string, string>,
  settings: { skipTables?: string[] } = {},
) =>
  pairModels({
    catalog: heliumCatalog(table('animal', columns), table('farm', {}), table('region', {})),
    models: journeyCatalog(model('animal', fields), model('farm', {}), model('region', {})),
    skipTables: [],
    skipObjectTypes: [],
    enableHeliumToJourney: true,
    enableJourneyToHelium: true,
    ...settings,
  });

const before = animal(heliumBefore, journeyBefore);
const changes = (
  columns: Record<string, string>,
  fields: Record<string, string>,
  settings?: { skipTables?: string[] },
) => {
  const { additive, breaking } = compareMappings(before, animal(columns, fields, settings));
  const lines = (list: typeof additive) => list.map(({ table, field, change }) => `${table}.${field}: ${change}`);
  return { additive: lines(additive), breaking: lines(breaking) };
};

it('finds no changes between equal mappings', () => {
  expect(compareMappings(before, before)).toEqual({ additive: [], breaking: [], unknown: [] });
});

it.each([
  [
    'a new field',
    [
      { ...heliumBefore, breed: 'text' },
      { ...journeyBefore, breed: 'text' },
    ],
    'animal.breed: It is now synced.',
  ],
  [
    'another spelling',
    [heliumBefore, { ...journeyBefore, name: undefined, Name: 'text' }],
    'animal.Name: Journey renamed it from name to Name.',
  ],
  [
    'another choice',
    [heliumBefore, { ...journeyBefore, state: 'single-choice Closed Sold Open' }],
    'animal.state: New choice: Sold.',
  ],
  [
    'another kind of file',
    [heliumBefore, { ...journeyBefore, picture: 'attachment' }],
    'animal.picture: Journey now stores it as attachment.',
  ],
] as const)('accepts %s without a save', (_, [columns, fields], change) => {
  expect(changes(defined(columns), defined(fields))).toEqual({ additive: [change], breaking: [] });
});

it.each([
  [
    'a field deleted in Journey',
    [heliumBefore, { ...journeyBefore, age: undefined }],
    "animal.age: It can no longer be synced. Journey's model has no counterpart for this attribute.",
  ],
  [
    'a column deleted in Helium',
    [{ ...heliumBefore, age: undefined }, journeyBefore],
    "animal.age: It can no longer be synced. Helium's object has no counterpart for this field.",
  ],
  [
    'a type that no longer matches',
    [{ ...heliumBefore, age: 'text' }, journeyBefore],
    "animal.age: It can no longer be synced. It is integer in Journey, but Helium's string can only be synced with text or single-choice.",
  ],
  [
    'another kind',
    [heliumBefore, { ...journeyBefore, state: 'text' }],
    'animal.state: It is now synced as text instead of choice.',
  ],
  [
    'a deleted choice',
    [heliumBefore, { ...journeyBefore, state: 'single-choice Open Sold' }],
    'animal.state: Deleted choice: Closed.',
  ],
  [
    'a relation with another target',
    [
      { ...heliumBefore, farm_fk: '→ region' },
      { ...journeyBefore, farm: '→ region' },
    ],
    'animal.farm: It now references region instead of farm.',
  ],
] as const)('suspends the object for %s', (_, [columns, fields], change) => {
  expect(changes(defined(columns), defined(fields))).toEqual({ additive: [], breaking: [change] });
});

it('reports objects that appear, disappear or change direction', () => {
  const withoutFarm = { ...before, objects: before.objects.filter(({ table }) => table !== 'farm') };
  expect(compareMappings(withoutFarm, before)).toEqual({
    additive: [{ table: 'farm', model: 'farm', change: 'It is now synced.' }],
    breaking: [],
    unknown: [],
  });
  expect(compareMappings(before, withoutFarm)).toEqual({
    additive: [],
    breaking: [{ table: 'farm', model: 'farm', change: 'It can no longer be synced.' }],
    unknown: [],
  });
  expect(changes(heliumBefore, journeyBefore, { skipTables: ['animal'] })).toEqual({
    additive: ['animal.undefined: Its changes no longer go to Journey.'],
    breaking: [],
  });
});

/** The settings without the table that the case skips. */
function defined(facts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
