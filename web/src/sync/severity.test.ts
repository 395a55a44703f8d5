import { expect, it } from 'vitest';
import { countByState, getSyncState, sortBySeverity } from './severity.ts';

const integrations = [
  { appName: 'Farms', status: 'Enabled', health: 'Fresh' },
  { appName: 'Grain', status: 'Disabled', health: 'Idle' },
  { appName: 'Clinics', status: 'Enabled', health: 'Late' },
  { appName: 'Stock', status: 'Halted', health: 'Stale' },
  { appName: 'Assets', status: 'Enabled', health: 'Fresh' },
  { appName: 'Births', status: 'Enabled', health: 'Stale' },
  { appName: 'Depot', status: 'Disabled', health: 'Late' },
] as const;

it('sorts by severity, then by name', () => {
  const names = sortBySeverity(integrations).map(({ appName }) => appName);
  expect(names).toEqual(['Stock', 'Births', 'Clinics', 'Depot', 'Grain', 'Assets', 'Farms']);
});

it('counts each integration in one state, and states without any', () => {
  const counts = countByState(integrations.filter(({ status }) => status !== 'Halted'));
  expect(counts.map(({ name, count }) => `${count} ${name}`)).toEqual([
    '0 halted',
    '1 stale',
    '2 late',
    '1 disabled',
    '2 fresh',
  ]);
});

it('reports a disabled integration with waiting changes as late', () => {
  expect(getSyncState({ appName: 'Depot', status: 'Disabled', health: 'Late' })).toBe('late');
});
