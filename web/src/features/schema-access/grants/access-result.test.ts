import type { AccessPlan } from '@portal/contract/schema-access';
import { expect, test } from 'vitest';
import { getHeadline } from './access-result.ts';

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

test('names the new owner after a grant and the restored owner after a revert', () => {
  const granted = getHeadline({ kind: 'done', request: 'grant', plan, actions, grantId: '1' });
  expect(granted).toBe('team_health is now the owner of all objects in clinic_001.');
  const back = { ...plan, owner: 'team_health', newOwner: 'clinic' };
  expect(getHeadline({ kind: 'done', request: 'revert', plan: back, actions, grantId: '1' })).toContain(
    'belongs to clinic',
  );
});

test('claims no change when no statement ran', () => {
  const headline = getHeadline({ kind: 'done', request: 'grant', plan, actions: [], grantId: null });
  expect(headline).toContain('Nothing to change');
});
