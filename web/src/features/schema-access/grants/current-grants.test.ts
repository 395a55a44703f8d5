import type { AccessGrant } from '@portal/contract/schema-access';
import { expect, test } from 'vitest';
import { currentGrants } from './current-grants.ts';

function grant(id: string, state: AccessGrant['state'], schemaName: string, dataSource = 'helium-app-1'): AccessGrant {
  return {
    id,
    state,
    dataSource,
    schemaName,
    appId: 'app',
    appName: 'Clinic',
    team: 'team_health',
    grantedAt: '2026-01-01T00:00:00.000Z',
    grantedBy: 'demo',
    reason: null,
    endedAt: null,
    endedBy: null,
    endReason: null,
    previousOwner: 'clinic',
    counts: [],
  };
}

test('returns the newest active grant of each schema', () => {
  const history = [
    grant('6', 'reverted', 'clinic'),
    grant('5', 'granted', 'clinic'),
    grant('4', 'granted', 'clinic'),
    grant('3', 'granted', 'clinic', 'helium-app-2'),
    grant('2', 'replaced', 'farm'),
    grant('1', 'running', 'stock'),
  ];
  expect(currentGrants(history).map(({ id }) => id)).toEqual(['5', '3']);
});
