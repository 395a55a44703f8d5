import { NotSignedIn, Unreachable } from '@portal/kit/problems';
import { expect, test } from 'vitest';
import { findOwnTeams } from './own-teams.ts';

const teams = [{ name: 'Health', apps: ['clinic_visits_001'] }];
const { signal } = new AbortController();
const failing = (problem: Error) => ({ apps: () => Promise.reject(problem) });

test('knows no own teams while the platform does not list the apps of the caller', async () => {
  expect(await findOwnTeams(failing(new Unreachable('The platform is down.')), teams, signal)).toEqual(new Set());
});

test('fails when the platform no longer accepts the caller', async () => {
  const problem = new NotSignedIn('Sign in again.');
  await expect(findOwnTeams(failing(problem), teams, signal)).rejects.toBe(problem);
});
