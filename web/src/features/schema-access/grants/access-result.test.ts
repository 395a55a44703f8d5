import type { AccessPlan } from '@portal/contract/schema-access';
import { expect, test } from 'vitest';
import { headlineOf } from './access-result.ts';

const plan: AccessPlan = {
  dataSource: 'helium-app-1',
  schemaName: 'clinic_001',
  owner: 'clinic',
  newOwner: 'team_health',
  appRole: 'clinic',
  actions: ['ALTER SCHEMA clinic_001 OWNER TO team_health;'],
  counts: [],
  warnings: [],
  fingerprint: 'one',
  tookMs: 12,
};
const { actions } = plan;

test('a grant names the new owner, a revert the old one that is back', () => {
  const granted = headlineOf({ kind: 'done', act: 'grant', plan, actions, grantId: '1' });
  expect(granted).toBe('team_health is now the owner of all objects in clinic_001.');
  const back = { ...plan, owner: 'team_health', newOwner: 'clinic' };
  expect(headlineOf({ kind: 'done', act: 'revert', plan: back, actions, grantId: '1' })).toContain('belongs to clinic');
});

test('what ran nothing does not claim to have changed anything', () => {
  const headline = headlineOf({ kind: 'done', act: 'grant', plan, actions: [], grantId: null });
  expect(headline).toContain('Nothing had to be done');
});
