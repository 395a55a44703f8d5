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

it('finds nothing where nothing has changed', () => {
  expect(compareMappings(before, before)).toEqual({ additive: [], breaking: [] });
});

it.each([
  [
    'a new field',
    [
      { ...heliumBefore, breed: 'text' },
      { ...journeyBefore, breed: 'text' },
    ],
    'animal.breed: It is synced from now on.',
  ],
  [
    'another spelling',
    [heliumBefore, { ...journeyBefore, name: undefined, Name: 'text' }],
    'animal.Name: Journey calls it Name now, and name before.',
  ],
  [
    'another choice',
    [heliumBefore, { ...journeyBefore, state: 'single-choice Closed Sold Open' }],
    'animal.state: It can be Sold from now on.',
  ],
  [
    'another kind of file',
    [heliumBefore, { ...journeyBefore, picture: 'attachment' }],
    'animal.picture: Journey keeps it as attachment now.',
  ],
] as const)('%s goes live by itself', (_, [columns, fields], change) => {
  expect(changes(defined(columns), defined(fields))).toEqual({ additive: [change], breaking: [] });
});

it.each([
  [
    'a field that is gone from Journey',
    [heliumBefore, { ...journeyBefore, age: undefined }],
    "animal.age: It can no longer be synced. Journey's model has no counterpart of this attribute.",
  ],
  [
    'a column that is gone from Helium',
    [{ ...heliumBefore, age: undefined }, journeyBefore],
    "animal.age: It can no longer be synced. Helium's object has no counterpart of this field.",
  ],
  [
    'a type that does not fit any more',
    [{ ...heliumBefore, age: 'text' }, journeyBefore],
    "animal.age: It can no longer be synced. It is integer in Journey, but Helium's string goes with text or single-choice.",
  ],
  [
    'another kind',
    [heliumBefore, { ...journeyBefore, state: 'text' }],
    'animal.state: It is synced as text now, and as choice before.',
  ],
  [
    'a choice that is gone',
    [heliumBefore, { ...journeyBefore, state: 'single-choice Open Sold' }],
    'animal.state: It can no longer be Closed.',
  ],
  [
    'a relation that points elsewhere',
    [
      { ...heliumBefore, farm_fk: '→ region' },
      { ...journeyBefore, farm: '→ region' },
    ],
    'animal.farm: It points at region now, and at farm before.',
  ],
] as const)('%s halts the object', (_, [columns, fields], change) => {
  expect(changes(defined(columns), defined(fields))).toEqual({ additive: [], breaking: [change] });
});

it('tells of objects that come, go, and change direction', () => {
  const withoutFarm = { ...before, objects: before.objects.filter(({ table }) => table !== 'farm') };
  expect(compareMappings(withoutFarm, before)).toEqual({
    additive: [{ table: 'farm', model: 'farm', change: 'It is synced from now on.' }],
    breaking: [],
  });
  expect(compareMappings(before, withoutFarm)).toEqual({
    additive: [],
    breaking: [{ table: 'farm', model: 'farm', change: 'It can no longer be synced.' }],
  });
  expect(changes(heliumBefore, journeyBefore, { skipTables: ['animal'] })).toEqual({
    additive: ['animal.undefined: Its changes no longer go to Journey.'],
    breaking: [],
  });
});

/** Without what a variant takes away. */
function defined(facts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
