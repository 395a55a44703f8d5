import { expect, it, onTestFinished } from 'vitest';
import { createHeliumFixture, schema } from '../../../helium/helium-gateway.fixture.ts';
import { pairModels } from '../../../mapping/pair-models.ts';
import { saveHeliumIdentity } from '../../../sync-state/helium-proof.store.ts';
import { claimRun } from '../../../sync-state/runs.store.ts';
import { prepareState } from '../../../sync-state/schema.ts';
import { ColumnsAdded, verifyHelium } from './check-helium.ts';

it.each([
  ['added', 'add column rank integer'],
  ['replaced by one of the same name and type', 'drop column code, add column code integer'],
])('rejects a mapping that was built before a column was %s', async (_, change) => {
  const helium = await createHeliumFixture({ tables: { region: ['code integer'] }, prepare: prepareState });
  onTestFinished(() => helium.drop());
  const { gateway, pool } = helium;
  const { stateId } = await claimRun(pool, 'app', '1', { changeLog: '1', opLog: '1' });
  const region = {
    name: 'region',
    label: 'Region',
    belongsTo: [],
    fields: [{ name: 'code', type: 'integer', choices: [] }],
  };
  const pair = async () =>
    pairModels({
      catalog: await gateway.readCatalog(),
      models: { hash: '', userModel: null, models: [region] },
      skipTables: [],
      skipObjectTypes: [],
      enableHeliumToJourney: true,
      enableJourneyToHelium: true,
    });
  const learned = { tables: ['region'], learns: 'all' } as const;
  await saveHeliumIdentity(pool, { stateId, schema, fence: '1' }, learned);
  const mapping = await pair();
  await verifyHelium({ stateId, helium: gateway, mapping });
  await pool.query(`alter table ${schema}.region ${change}`);
  await expect(verifyHelium({ stateId, helium: gateway, mapping })).rejects.toBeInstanceOf(ColumnsAdded);
  await verifyHelium({ stateId, helium: gateway, mapping: await pair() });
});
