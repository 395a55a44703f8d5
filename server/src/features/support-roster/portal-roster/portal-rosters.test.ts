import { getAttention } from '@portal/contract/attention';
import { getOnCall, savePortalShift } from '@portal/contract/support-roster';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../../testing/small-world.ts';
import type { TestClient } from '../../../testing/test-client.ts';

const teams = Array.from({ length: 30 }, (_, at) => `Team ${String(at).padStart(2, '0')}`);
let world: SmallWorld;
let client: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({
    supportRoster: { teams: teams.map((name) => ({ name })) },
    roles: [{ role: 'admin', users: ['demo'] }],
  });
  client = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test('reads the rosters of all teams for the home page in three statements', async () => {
  for (const [team, start, end] of [
    ['Team 01', day(-1), day(40)],
    ['Team 02', day(10), day(20)],
    ['Team 03', day(100), day(110)],
  ] as const)
    await client.call(savePortalShift, { team, id: null, name: `Of ${team}`, number: '+27 82 555 0142', start, end });

  const query = vi.spyOn(world.server.dependencies.pool, 'query');
  const [onCall, { items, counts }] = await Promise.all([
    client.call(getOnCall, { numbers: 'true' }),
    client.call(getAttention, undefined),
  ]);
  const statements = query.mock.calls.filter((args) => JSON.stringify(args).includes('roster_shift'));
  query.mockRestore();
  expect(statements.length).toBeLessThanOrEqual(3);

  expect(onCall.map(({ team }) => team)).toEqual(teams);
  expect(onCall.filter(({ now }) => now.length > 0)).toMatchObject([
    { team: 'Team 01', now: [{ name: 'Of Team 01', number: '+27 82 555 0142' }], next: null, gaps: [] },
  ]);
  expect(onCall.filter(({ next }) => next !== null)).toMatchObject([
    { team: 'Team 02', next: { name: 'Of Team 02' }, gaps: [expect.anything(), expect.anything()] },
    { team: 'Team 03', next: { name: 'Of Team 03' }, gaps: [expect.anything()] },
  ]);
  const withGap = items.filter(({ kind }) => kind === 'roster-gap').map(({ title }) => title);
  // Of those whose gap starts at the same time, the first by name are listed.
  expect(withGap.toSorted()).toEqual(teams.filter((team) => team !== 'Team 01').slice(0, 20));
  expect(counts['roster-gap']).toBe(29);
});
