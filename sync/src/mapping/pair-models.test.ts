import { describe, expect, it } from 'vitest';
import { heliumCatalog, journeyCatalog, linkTable, model, table } from './catalogs.fixture.ts';
import { type ModelsToPair, pairModels } from './pair-models.ts';

const everything = {
  skipTables: [],
  skipObjectTypes: [],
  enableHeliumToJourney: true,
  enableJourneyToHelium: true,
} as const;

const farm = table('farm', { name: 'text' });
const farmModel = model('Farm', { name: 'text' });

function pair(
  tables: readonly ReturnType<typeof table>[],
  models: readonly ReturnType<typeof model>[],
  settings: Partial<ModelsToPair> = {},
) {
  return pairModels({
    catalog: heliumCatalog(...tables),
    models: journeyCatalog(...models),
    ...everything,
    ...settings,
  });
}

it('refuses a table of which several rows may have one id, as under a temporal primary key', () => {
  const { objects, notes } = pair([table('farm', { name: 'text' }, { lacksKey: true })], [farmModel]);
  expect(objects).toEqual([]);
  const reason = expect.stringContaining('Several of its rows may have the same _id_');
  expect(notes).toEqual([{ severity: 'refused', table: 'farm', model: 'Farm', reason }]);
});

describe('attributes', () => {
  it('pairs attributes and fields of the same name, with the kind that both types define', () => {
    const { objects, notes } = pair(
      [
        farm,
        table('animal', {
          eartag: 'character varying(64)',
          age: 'integer',
          weight: 'double precision',
          sold: 'boolean',
          bornon: 'date',
          seenat: 'timestamp(3) without time zone',
          state: 'text',
          picture: 'bytea',
          picture_fname__: 'text',
          picture_mtype__: 'text',
          picture_size__: 'bigint',
          _firstnames: 'text',
          farm_fk: '→ farm',
        }),
      ],
      [
        farmModel,
        model('animal', {
          earTag: 'text',
          age: 'integer',
          weight: 'number',
          sold: 'boolean',
          bornOn: 'date',
          seenAt: 'datetime',
          state: 'single-choice Grazing Sold',
          picture: 'photo',
          _firstNames: 'text',
          Farm: '→ Farm',
        }),
      ],
    );
    expect(notes).toEqual([]);
    expect(objects.find(({ table }) => table === 'animal')).toEqual({
      table: 'animal',
      model: 'animal',
      toJourney: true,
      toHelium: true,
      fields: [
        { column: '_firstnames', field: '_firstNames', kind: 'text' },
        { column: 'age', field: 'age', kind: 'integer' },
        { column: 'bornon', field: 'bornOn', kind: 'date' },
        { column: 'eartag', field: 'earTag', kind: 'text' },
        { column: 'farm_fk', field: 'Farm', kind: 'reference', references: 'farm' },
        { column: 'picture', field: 'picture', kind: 'blob', attachment: 'photo', isNamed: true },
        { column: 'seenat', field: 'seenAt', kind: 'datetime' },
        { column: 'sold', field: 'sold', kind: 'boolean' },
        { column: 'state', field: 'state', kind: 'choice', choices: ['Grazing', 'Sold'] },
        { column: 'weight', field: 'weight', kind: 'number' },
      ],
    });
  });

  it.each([
    ['text', 'location', "Journey's location cannot be synced."],
    ['text', 'multiple-choice a b', "Journey's multiple-choice cannot be synced."],
    ['integer', 'single-choice-integer 1 2', "Journey's single-choice-integer cannot be synced."],
    ['integer', 'multiple-choice-integer 1 2', "Journey's multiple-choice-integer cannot be synced."],
    ['text', 'track', "Journey's track cannot be synced."],
    ['jsonb', 'text', "Helium's json cannot be synced."],
    ['uuid', 'text', "Helium's uuid cannot be synced."],
    ['text[]', 'text', "Helium's text[] cannot be synced."],
    ['numeric(10,2)', 'integer', "It is integer in Journey, but Helium's decimal can only be synced with number."],
    ['integer', 'text', "It is text in Journey, but Helium's int can only be synced with integer or number."],
    [
      'bytea',
      'text',
      "It is text in Journey, but Helium's blob can only be synced with photo or signature or attachment.",
    ],
  ])('does not sync %s with %s, and warns of it', (columnType, fieldType, reason) => {
    const { objects, notes } = pair([table('farm', { size: columnType })], [model('farm', { Size: fieldType })]);
    expect(objects).toMatchObject([{ table: 'farm', fields: [] }]);
    expect(notes).toEqual([{ severity: 'warning', table: 'farm', model: 'farm', field: 'Size', reason }]);
  });

  it.each([
    ['numeric', 'number', { kind: 'number', storage: 'numeric' }],
    ['numeric(12,2)', 'number', { kind: 'number', storage: 'numeric' }],
    ['numeric(18,0)', 'number', { kind: 'number', storage: 'numeric' }],
    ['numeric(18,0)', 'integer', { kind: 'integer', storage: 'numeric' }],
    ['numeric(5,-2)', 'integer', { kind: 'integer', storage: 'numeric' }],
    ['real', 'number', { kind: 'number', storage: 'real' }],
    ['smallint', 'number', { kind: 'integer', storage: 'smallint' }],
    ['smallint', 'integer', { kind: 'integer', storage: 'smallint' }],
    ['integer', 'number', { kind: 'integer' }],
    ['bigint', 'integer', { kind: 'integer', storage: 'bigint' }],
    ['bigint', 'number', { kind: 'integer', storage: 'bigint' }],
    ['timestamp with time zone', 'datetime', { kind: 'datetime', storage: 'timestamptz' }],
    ['timestamp(3) with time zone', 'datetime', { kind: 'datetime', storage: 'timestamptz' }],
    ['timestamp(3) without time zone', 'datetime', { kind: 'datetime' }],
    ['character(8)', 'text', { kind: 'text', storage: 'char' }],
    ['citext', 'text', { kind: 'text' }],
    ['extensions.citext', 'single-choice Open', { kind: 'choice', choices: ['Open'] }],
  ])('syncs %s with %s', (columnType, fieldType, expected) => {
    const { objects, notes } = pair([table('farm', { size: columnType })], [model('farm', { Size: fieldType })]);
    expect(objects[0]?.fields).toEqual([{ column: 'size', field: 'Size', ...expected }]);
    expect(notes).toEqual([]);
  });

  it.each([
    ['text not null', {}, 'warning'],
    ['jsonb not null', { size: 'text' }, 'warning'],
    ['text not null default', {}, 'left-out'],
    ['text', {}, 'left-out'],
  ] as const)('warns of a required column that Journey cannot fill: %s', (columnType, fields, severity) => {
    const farms = [[table('farm', { size: columnType })], [model('farm', fields)]] as const;
    const { notes } = pair(...farms);
    expect(notes).toMatchObject([{ severity, table: 'farm', field: 'size' }]);
    expect(notes[0]?.reason.endsWith('Helium requires a value, so it rejects new records from Journey.')).toBe(
      severity === 'warning',
    );
    expect(pair(...farms, { enableJourneyToHelium: false }).notes[0]?.reason).not.toContain('requires');
  });

  it.each(['region_id', 'date', 'Date'])(
    'does not sync an attribute called %s, and skips it when only one side has it',
    (name) => {
      const tables = [table('farm', { [name.toLowerCase()]: 'text' })];
      expect(pair(tables, [model('farm', { [name]: 'text' })]).notes).toMatchObject([
        { severity: 'warning', field: name },
      ]);
      expect(pair(tables, [model('farm', {})]).notes).toMatchObject([
        { severity: 'left-out', field: name.toLowerCase() },
      ]);
    },
  );

  it('marks a reference that Helium requires', () => {
    const lot = table('lot', { farm_fk: '→ farm not null' });
    expect(pair([farm, lot], [farmModel, model('lot', { farm: '→ Farm' })]).objects[1]?.fields).toEqual([
      { column: 'farm_fk', field: 'farm', kind: 'reference', references: 'farm', isRequired: true },
    ]);
  });

  it('warns that a column which Helium computes is only synced to Journey, unless nothing else is wanted', () => {
    const lot = table('lot', { code: 'text computed', grade: 'integer default' });
    const lotModel = model('lot', { code: 'text', grade: 'integer' });
    const { objects, notes } = pair([lot], [lotModel]);
    expect(objects[0]?.fields).toEqual([
      { column: 'code', field: 'code', kind: 'text', isComputed: true },
      { column: 'grade', field: 'grade', kind: 'integer', hasDefault: true },
    ]);
    const reason = 'Helium computes its value, so it is only synced to Journey.';
    expect(notes).toEqual([{ severity: 'warning', table: 'lot', model: 'lot', field: 'code', reason }]);
    expect(pair([lot], [lotModel], { enableJourneyToHelium: false }).notes).toEqual([]);
  });

  it('skips attributes and fields that only one side has', () => {
    const { notes } = pair(
      [table('farm', { hectares: 'integer', owner_fk: 'uuid' })],
      [model('farm', { position: 'location', vet: '→ person' })],
    );
    expect(notes.map(({ severity, field }) => `${severity} ${field}`)).toEqual([
      'left-out hectares',
      'left-out owner_fk',
      'left-out position',
      'left-out vet',
    ]);
  });

  it('does not sync fields whose names differ only in case', () => {
    const { objects, notes } = pair([farm], [model('farm', { name: 'text', Name: 'text' })]);
    expect(objects[0]?.fields).toEqual([]);
    expect(notes).toMatchObject([{ severity: 'warning', field: 'name' }]);
  });
});

describe('relations', () => {
  it('does not sync a relation that references different objects', () => {
    const { notes } = pair(
      [farm, table('person', {}), table('animal', { farm_fk: '→ person' })],
      [farmModel, model('person', {}), model('animal', { farm: '→ Farm' })],
    );
    expect(notes).toMatchObject([{ severity: 'warning', table: 'animal', field: 'farm' }]);
  });

  it('skips many-to-many relations, and rejects those that are meant to be synced', () => {
    const vets = linkTable('vet_farms', 'vet', 'farm');
    expect(pair([farm, vets], [farmModel]).notes).toMatchObject([{ severity: 'left-out', table: 'vet_farms' }]);
    expect(pair([farm, vets], [farmModel, model('vet_farms', {})]).notes).toMatchObject([{ severity: 'refused' }]);
    expect(pair([farm, { ...vets, isTracked: true }], [farmModel]).notes).toMatchObject([{ severity: 'refused' }]);
  });

  it('sorts parents before children, whatever their names and the input order', () => {
    const tables = [
      table('calf', { mother_fk: '→ cow', calf_fk: '→ calf' }),
      table('cow', { herd_fk: '→ herd' }),
      table('herd', { best_fk: '→ zoo' }),
      table('zoo', { star_fk: '→ herd' }),
    ];
    const models = [
      model('calf', { mother: '→ cow', calf: '→ calf' }),
      model('cow', { herd: '→ herd' }),
      model('herd', { best: '→ zoo' }),
      model('zoo', { star: '→ herd' }),
    ];
    const order = (mapping: ReturnType<typeof pairModels>) => mapping.objects.map(({ table }) => table);
    expect(order(pair(tables, models))).toEqual(['zoo', 'herd', 'cow', 'calf']);
    expect(order(pair(tables.toReversed(), models.toReversed()))).toEqual(['zoo', 'herd', 'cow', 'calf']);
  });
});

describe('objects', () => {
  it.each([
    ['untracked', [table('farm', {}, { isTracked: false })], [farmModel], 'left-out'],
    ['views', [table('farm', {}, { kind: 'materialized-view', isTracked: false })], [farmModel], 'left-out'],
    ['objects without a model', [farm], [], 'left-out'],
    ['objects without a table', [], [farmModel], 'left-out'],
    ['objects in all capitals', [farm], [model('FARM', {})], 'refused'],
    ['objects whose names differ only in case', [farm], [farmModel, model('farm', {})], 'refused'],
  ] as const)('does not sync %s', (_, tables, models, severity) => {
    const { objects, notes } = pair(tables, models);
    expect(objects).toEqual([]);
    expect(notes).toMatchObject([{ severity }]);
  });

  it('syncs objects in the directions that are enabled and not skipped', () => {
    const directions = (settings: Partial<ModelsToPair>) =>
      pair([farm], [farmModel], settings).objects.map(({ toJourney, toHelium }) => [toJourney, toHelium]);
    expect(directions({ skipTables: ['FARM '] })).toEqual([[false, true]]);
    expect(directions({ skipObjectTypes: ['farm'] })).toEqual([[true, false]]);
    expect(directions({ enableHeliumToJourney: false })).toEqual([[false, true]]);
    expect(directions({ enableJourneyToHelium: false })).toEqual([[true, false]]);
    expect(directions({ enableJourneyToHelium: false, skipTables: ['farm'] })).toEqual([]);
  });

  it('accepts any object that is skipped in both directions', () => {
    const { notes } = pair([farm], [model('FARM', {})], { skipTables: ['farm'], skipObjectTypes: ['FARM'] });
    expect(notes).toMatchObject([{ severity: 'left-out' }]);
  });
});

it('takes the media of an attachment from the data model, and changes the fingerprint with it', () => {
  const document = table('farm', { contract: 'bytea' });
  const pairWith = (media: string) => {
    const field = { name: 'contract', type: 'attachment', choices: [], media };
    return pair([document], [{ ...farmModel, fields: [field] }]);
  };
  expect(pairWith('application/pdf').objects[0]?.fields).toMatchObject([{ media: 'application/pdf' }]);
  expect(pairWith('application/pdf').fingerprint).not.toBe(pairWith('any').fingerprint);
});

describe('mapping fingerprint', () => {
  const animal = table('animal', { age: 'integer', eartag: 'text' });
  const animalModel = model('animal', { age: 'integer', earTag: 'single-choice a b' });
  const fingerprint = (tables: readonly ReturnType<typeof table>[], settings: Partial<ModelsToPair> = {}) =>
    pair(tables, [farmModel, animalModel], settings).fingerprint;

  it('ignores the order of objects, and labels', () => {
    const reversed = { ...animal, columns: animal.columns.toReversed() };
    const relabelled = { ...animalModel, label: 'Cow', fields: animalModel.fields.toReversed() };
    expect(fingerprint([reversed, farm])).toBe(fingerprint([farm, animal]));
    expect(pair([farm, animal], [relabelled, farmModel]).fingerprint).toBe(fingerprint([farm, animal]));
  });

  it('changes with everything the mapping depends on', () => {
    const variants = [
      fingerprint([farm, animal]),
      fingerprint([farm]),
      fingerprint([farm, table('animal', { age: 'text', eartag: 'text' })]),
      fingerprint([farm, { ...animal, isTracked: false }]),
      fingerprint([farm, animal], { skipTables: ['farm'] }),
      fingerprint([farm, animal], { skipObjectTypes: ['farm'] }),
      fingerprint([farm, animal], { enableHeliumToJourney: false }),
      pair([farm, animal], [farmModel, model('animal', { age: 'integer', earTag: 'single-choice a' })]).fingerprint,
    ];
    expect(new Set(variants).size).toBe(variants.length);
  });
});
