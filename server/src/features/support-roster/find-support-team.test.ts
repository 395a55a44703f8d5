import { expect, it } from 'vitest';
import { findSupportTeam } from './find-support-team.ts';
import { supportRosterConfig } from './support-roster.config.ts';

const config = (...teams: readonly object[]) => supportRosterConfig.parse({ teams });

it('prefers the support team that is configured for a deployment team to one with its name', () => {
  const teams = config({ name: 'Farming Team' }, { name: 'Farming', deploymentTeams: ['Farming Team'] });
  expect(findSupportTeam(teams, 'Production', 'Farming Team')).toEqual({ team: 'Farming', similar: [] });
  expect(findSupportTeam(teams, 'Production', 'Farming')).toEqual({ team: 'Farming', similar: [] });
});

it('finds support teams of the environment only', () => {
  const teams = config({ name: 'Farming', environments: ['Staging'], deploymentTeams: ['Farming Team'] });
  expect(findSupportTeam(teams, 'Production', 'Farming Team')).toEqual({ team: null, similar: [] });
});

it.each([
  ['Farming Team', 'Farming', true],
  ['Health Team', 'Health support', true],
  ['Farming', 'Farming North', true],
  ['farm inputs', 'Farm Inputs', true],
  ['Health Team', 'Farming Team', false],
  ['Farming South', 'Farming North', false],
  ['Team', 'Support', false],
])('similar team of %s: %s is suggested: %s', (deploymentTeam, name, isSimilar) => {
  expect(findSupportTeam(config({ name }), 'Production', deploymentTeam)).toEqual({
    team: null,
    similar: isSimilar ? [name] : [],
  });
});
