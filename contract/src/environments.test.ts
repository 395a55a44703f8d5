import { describe, expect, it } from 'vitest';
import { canReachDeployments, isProduction, selectableEnvironments } from './environments.ts';

describe('environments', () => {
  it('omits the localhost environment from the sign-in chooser', () => {
    const environments = [{ name: 'Production' }, { name: 'Localhost' }, { name: 'Staging' }];
    expect(selectableEnvironments(environments).map((environment) => environment.name)).toEqual([
      'Production',
      'Staging',
    ]);
  });

  it.each([
    ['Production', true, true],
    ['Localhost', false, true],
    ['Zambia-production', false, false],
    ['Staging', false, false],
  ])('%s: production %s, deployments reachable %s', (name, production, deployments) => {
    expect(isProduction(name)).toBe(production);
    expect(canReachDeployments(name)).toBe(deployments);
  });
});
