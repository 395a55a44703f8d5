import { makeSessionReadOnly } from '@portal/contract/session';
import { getOnCall, getPortalShifts, getRoster, revealNumber, savePortalShift } from '@portal/contract/support-roster';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';

const team = 'Health';
const otherTeam = 'Stock';
const number = '+27 82 555 0142';
const january = { start: '2026-01-05T06:00:00.000Z', end: '2026-01-12T06:00:00.000Z' };
const year = { team, startDate: '2026-01-01', endDate: '2027-01-01' };

let world: SmallWorld;
let admin: TestClient;
let viewsBefore = 0;

/** Without roles, so that Helium decides; farm.dev can change no app of the teams. */
beforeAll(async () => {
  const teams = [team, otherTeam].map((name) => ({ name, apps: ['clinic_visits_001'] }));
  world = await startSmallWorld({ supportRoster: { teams: [{ name: team }, { name: otherTeam }] }, teams });
  admin = await world.server.signIn('demo', 'demo');
  await admin.call(savePortalShift, { team, id: null, name: 'Thabo Mokoena', number, ...january });
});
afterAll(() => world.stop());
beforeEach(async () => {
  viewsBefore = (await readAllViews()).length;
});

const readAllViews = async () => {
  const { rows } = await world.server.dependencies.pool.query(
    "select username, resource, outcome, description from audit_entry where action = 'roster.view' order by id desc",
  );
  return rows;
};
/** Returns the views that this test has recorded, newest first. */
const readViews = async () => {
  const views = await readAllViews();
  return views.slice(0, views.length - viewsBefore);
};
const viewed = { username: 'farm.dev', outcome: 'done', description: 'Phone numbers viewed' };

describe('phone numbers', () => {
  it('are shown in full to a user who can change nothing of the team', async () => {
    const reader = await world.server.signIn('farm.dev', 'farm');
    expect(await reader.call(getRoster, year)).toMatchObject([{ name: 'Thabo Mokoena', number, date: '2026-01-05' }]);
    expect(await reader.call(getPortalShifts, { team })).toMatchObject([{ number }]);
    expect(await reader.call(getOnCall, { team, at: january.start, numbers: 'true' })).toMatchObject([
      { now: [{ name: 'Thabo Mokoena', number, until: january.end }] },
    ]);
  });

  it('are shown to a read-only session, too, and the view is recorded', async () => {
    const reader = await world.server.signIn('farm.dev', 'farm');
    await reader.call(makeSessionReadOnly, undefined);
    expect(await reader.call(getRoster, year)).toMatchObject([{ number }]);
    expect(await readViews()).toEqual([{ ...viewed, resource: team }]);
  });

  it('are absent from the on-call response unless the request asks for them', async () => {
    const [onCall] = await admin.call(getOnCall, { team, at: january.start });
    expect(onCall?.now).toEqual([{ name: 'Thabo Mokoena', personId: 'Thabo Mokoena', until: january.end }]);
    expect(await readViews()).toEqual([]);
  });
});

describe('the view of a roster', () => {
  it('is one entry of the audit trail for each session and team, however often it is refreshed', async () => {
    const reader = await world.server.signIn('farm.dev', 'farm');
    await Promise.all([
      reader.call(getRoster, year),
      reader.call(getOnCall, { team, numbers: 'true' }),
      reader.call(getPortalShifts, { team }),
    ]);
    await reader.call(getRoster, year);
    expect(await readViews()).toEqual([{ ...viewed, resource: team }]);
    await reader.call(getRoster, { ...year, team: otherTeam });
    await reader.call(getOnCall, { numbers: 'true' });
    const again = await world.server.signIn('farm.dev', 'farm');
    await again.call(getRoster, year);
    expect(await readViews()).toEqual([
      { ...viewed, resource: team },
      { ...viewed, resource: null },
      { ...viewed, resource: otherTeam },
      { ...viewed, resource: team },
    ]);
  });

  it('is not recorded if nothing was shown', async () => {
    expect((await admin.attempt(getRoster, { ...year, team: 'Unknown' })).status).toBe(404);
    expect((await admin.attempt(getRoster, { ...year, startDate: 'soon' })).status).toBe(400);
    expect(await readViews()).toEqual([]);
  });

  it('is possible while the audit trail cannot be written', async () => {
    const { pool } = world.server.dependencies;
    const reader = await world.server.signIn('farm.dev', 'farm');
    await pool.query('alter table audit_entry rename to audit_entry_away');
    try {
      expect(await reader.call(getRoster, year)).toMatchObject([{ number }]);
    } finally {
      await pool.query('alter table audit_entry_away rename to audit_entry');
    }
    await expect.poll(readViews).toEqual([{ ...viewed, resource: team }]);
  });
});

describe('who is on call', () => {
  it.each([
    ['2026-01-04T06:00:00Z', [], 'Thabo Mokoena'],
    ['2026-01-05T08:00:00+02:00', ['Thabo Mokoena'], undefined],
    ['2026-01-12T06:00:00Z', [], undefined],
  ])('is known for %s', async (at, now, next) => {
    const [onCall] = await admin.call(getOnCall, { team, at });
    expect(onCall?.now.map(({ name }) => name)).toEqual(now);
    expect(onCall?.next?.name).toBe(next);
  });

  it('is refused for a moment that is not an instant', async () => {
    const response = await admin.attempt(getOnCall, { team, at: '5 January' });
    expect([response.status, parseProblem(response).message]).toEqual([
      400,
      'at must be an instant such as 2026-01-31T18:00:00Z.',
    ]);
  });
});

it('masks numbers if that is configured, and records each reveal', async () => {
  const masked = await startSmallWorld({
    supportRoster: { teams: [{ name: team }], maskNumbers: true },
    teams: [{ name: team, apps: ['clinic_visits_001'] }],
  });
  try {
    const client = await masked.server.signIn('demo', 'demo');
    const shift = { team, id: null, name: 'Thabo Mokoena', number, ...january };
    expect(await client.call(savePortalShift, shift)).toMatchObject({ number: '••• ••42' });
    expect(await client.call(getRoster, year)).toMatchObject([{ number: '••• ••42' }]);
    expect(await client.call(getPortalShifts, { team })).toMatchObject([{ number: '••• ••42' }]);
    expect(await client.call(getOnCall, { team, at: january.start, numbers: 'true' })).toMatchObject([
      { now: [{ number: '••• ••42' }] },
    ]);
    expect(await client.call(revealNumber, { team, personId: 'Thabo Mokoena' })).toEqual({ number });
    const { rows } = await masked.server.dependencies.pool.query(
      "select action from audit_entry where action in ('roster.view', 'roster.reveal')",
    );
    expect(rows).toEqual([{ action: 'roster.reveal' }]);
  } finally {
    await masked.stop();
  }
});
