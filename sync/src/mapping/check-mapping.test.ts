import type { SyncConfig } from '@portal/contract/sync/config';
import { expect, it } from 'vitest';
import { heliumCatalog, journeyCatalog, linkTable, model, table } from './catalogs.fixture.ts';
import { checkMapping } from './check-mapping.ts';
import { pairModels } from './pair-models.ts';

const config: SyncConfig = {
  enabled: true,
  enableJourneyToHelium: true,
  enableHeliumToJourney: true,
  helium: { appId: 'app', dbSchema: 'app_001', baseUrl: 'https://helium.example.com' },
  journey: {
    appId: '55c1a6a0f1b811e1a7df001c',
    baseUrl: 'https://run-testing-us.example.com/api/v4/',
    restAPICredentials: { userName: '55c1a6a0f1b811e1a7df001c' },
  },
  heliumToJourney: { changeLogMinVersionAsString: '0', changeLogSkipTables: [] },
  journeyToHelium: { oplogMinVersionAsString: '0', oplogSkipObjectTypes: [] },
  journeyToHeliumEnrollment: {
    type: 'user',
    enabled: false,
    heliumObjectName: '',
    journeyObjectName: '',
    updateIntervalMins: 15,
  },
};
const tables = [table('farm', { name: 'text' }), table('animal', { age: 'integer' })];
const models = [model('Farm', { name: 'text' }), model('animal', { age: 'integer' })];

function problems(of: SyncConfig, pair: { tables?: typeof tables; models?: typeof models } = {}) {
  const sides = {
    catalog: heliumCatalog(...(pair.tables ?? tables)),
    models: journeyCatalog(...(pair.models ?? models)),
  };
  const mapping = pairModels({
    ...sides,
    skipTables: of.heliumToJourney.changeLogSkipTables,
    skipObjectTypes: of.journeyToHelium.oplogSkipObjectTypes,
    enableHeliumToJourney: of.enableHeliumToJourney,
    enableJourneyToHelium: of.enableJourneyToHelium,
  });
  return checkMapping({ config: of, ...sides, mapping });
}

const skipping = (changeLogSkipTables: string[], oplogSkipObjectTypes: string[] = []): SyncConfig => ({
  ...config,
  heliumToJourney: { ...config.heliumToJourney, changeLogSkipTables },
  journeyToHelium: { ...config.journeyToHelium, oplogSkipObjectTypes },
});

it('accepts known names, whatever is skipped', () => {
  expect(problems(config)).toEqual([]);
  expect(problems(skipping(['FARM'], ['Farm']))).toEqual([]);
  expect(problems(config, { tables: [...tables, linkTable('vet_farms', 'vet', 'farm')] })).toEqual([]);
});

it('rejects unknown names by the list that contains them', () => {
  expect(problems(skipping(['barn', 'farm'], ['Barn']))).toEqual([
    { field: 'heliumToJourney.changeLogSkipTables', reason: 'Helium has no table barn in app_001.' },
    { field: 'journeyToHelium.oplogSkipObjectTypes', reason: 'Journey has no object Barn.' },
  ]);
});

it('rejects objects that the guide forbids, and accepts fields that are only not synced', () => {
  const unfit = {
    tables: [
      table('farm', { date: 'text', region_id: 'text' }),
      linkTable('vet_farms', 'vet', 'farm'),
      ...tables.slice(1),
    ],
    models: [model('farm', { date: 'text', region_id: 'text' }), model('vet_farms', {}), model('ANIMAL', {})],
  };
  const found = problems(config, unfit).map(({ field, reason }) => `${field} ${reason.split(':')[0]}`);
  expect(found).toEqual(['helium.dbSchema animal', 'helium.dbSchema vet_farms']);
  expect(problems(skipping(['farm', 'animal', 'vet_farms'], ['farm', 'ANIMAL', 'vet_farms']), unfit)).toMatchObject([
    { field: 'helium.dbSchema', reason: expect.stringContaining('Nothing can be synced') },
  ]);
});

it('rejects a configuration that does nothing, unless enrollment is enabled', () => {
  const off = { ...config, enableHeliumToJourney: false, enableJourneyToHelium: false };
  expect(problems(off)).toMatchObject([{ field: 'enableHeliumToJourney' }]);
  expect(
    problems({ ...off, journeyToHeliumEnrollment: { ...config.journeyToHeliumEnrollment, enabled: true } }),
  ).toEqual([]);
  expect(problems(config, { models: [] })).toMatchObject([{ field: 'helium.dbSchema' }]);
});
