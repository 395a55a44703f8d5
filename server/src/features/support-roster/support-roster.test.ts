import { getAttention } from '@portal/contract/attention';
import { getOnCall, getRoster, getYearWindow, revealNumber } from '@portal/contract/support-roster';
import { writeCalendar } from '@portal/simulators/roster/rotation-feed';
import { type RosterSimulator, startRosterSimulator } from '@portal/simulators/roster/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../testing/test-server.ts';

const token = 'pager-duty-secret-token';
const users = [{ id: 'PU1', name: 'Lerato Nkosi', phone: { country_code: 27, address: '825550131' } }];
/** Endless weekly shifts, except for one in about ten days. */
const monday = (week: number) => {
  const today = new Date();
  const days = today.getUTCDate() - ((today.getUTCDay() + 6) % 7) + week * 7;
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), days, 6));
};
const written = (date: Date) => date.toISOString().replaceAll(/[-:]|\.000/g, '');
const weekly = writeCalendar([
  [
    'UID:1',
    'SUMMARY:Thabo Mokoena',
    `DTSTART:${written(monday(-60))}`,
    'DURATION:P7D',
    'RRULE:FREQ=WEEKLY',
    `EXDATE:${written(monday(2))}`,
  ],
]);

let rosters: RosterSimulator;
let world: SmallWorld;
let client: TestClient;

const supportRoster = () => ({
  teams: [
    { name: 'Health', calendar: rosters.feedUrl('health') },
    { name: 'Broken', calendar: rosters.feedUrl('broken') },
    { name: 'Stock', pagerDutySchedule: 'PSTOCK' },
    { name: 'Platform' },
  ],
  people: [{ name: 'thabo mokoena', number: '+27 82 555 0142' }],
  pagerDuty: { baseUrl: rosters.pagerDutyUrl, token },
});

beforeAll(async () => {
  rosters = await startRosterSimulator({
    feeds: { health: () => weekly, broken: () => 'not a calendar' },
    pagerDuty: { token, users, scheduleIds: ['PSTOCK'], shiftBasedScheduleIds: ['SHIFTS1'] },
  });
  const teams = [
    { name: 'Health', apps: ['clinic_visits_001'] },
    { name: 'Stock', apps: ['clinic_visits_001'] },
    { name: 'Platform', apps: ['farm_inputs_001'] },
  ];
  world = await startSmallWorld({ supportRoster: supportRoster(), teams });
  client = await world.server.signIn('demo', 'demo');
});
afterAll(async () => {
  await world.stop();
  await rosters.stop();
});
afterEach(() => rosters.faults.clear());

describe('support roster', () => {
  it('contains the complete shifts of the year with phone numbers in full', async () => {
    const window = getYearWindow(new Date(), 'Africa/Johannesburg');
    const rows = await client.call(getRoster, { team: 'Health', ...window });
    expect(rows.length).toBeGreaterThan(45);
    expect(rows.every(({ name, number }) => name === 'Thabo Mokoena' && number === '+27 82 555 0142')).toBe(true);
    expect(rows.every(({ start, end }) => Date.parse(end) - Date.parse(start) === 7 * 86_400_000)).toBe(true);
    const stock = await client.call(getRoster, { team: 'Stock', ...window });
    expect(stock[0]).toMatchObject({ name: 'Lerato Nkosi', number: '+27 825550131', personId: 'PU1' });
  });

  it.each([
    [{ startDate: '2026-13-01', endDate: '2027-01-01' }, 'startDate and endDate must be days such as 2026-01-31.'],
    [{ startDate: '2027-01-01', endDate: '2026-01-01' }, 'endDate must be after startDate.'],
    [{ startDate: '2020-01-01', endDate: '2026-01-01' }, 'A roster request may cover at most two years.'],
  ])('refuses the window %j', async (window, message) => {
    const response = await client.attempt(getRoster, { team: 'Health', ...window });
    expect(response.status).toBe(400);
    expect(parseProblem(response).message).toBe(message);
  });

  it('reports why a broken calendar cannot be read', async () => {
    const response = await client.attempt(getRoster, {
      team: 'Broken',
      startDate: '2026-01-01',
      endDate: '2027-01-01',
    });
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toContain(
      'The calendar of Broken cannot be read: it is not valid iCalendar',
    );
  });
});

describe('on-call overview', () => {
  it('covers every team, even if one cannot be read', async () => {
    const teams = await client.call(getOnCall, { numbers: 'true' });
    expect(teams).toMatchObject([
      {
        team: 'Health',
        now: [{ name: 'Thabo Mokoena', number: '+27 82 555 0142', until: monday(2).toISOString() }],
        next: { name: 'Thabo Mokoena', from: monday(3).toISOString() },
        gaps: [{ from: monday(2).toISOString(), to: monday(3).toISOString() }],
        source: 'calendar',
        problem: null,
      },
      {
        team: 'Stock',
        now: [{ name: 'Lerato Nkosi', number: '+27 825550131' }],
        next: null,
        gaps: [],
        source: 'PagerDuty',
      },
      { team: 'Platform', now: [], next: null, gaps: [{}], source: 'portal', problem: null },
      { team: 'Broken', now: [], next: null, gaps: [], readAt: null, problem: expect.stringContaining('Broken') },
    ]);
    expect(await client.call(getOnCall, { team: 'Stock' })).toMatchObject([{ team: 'Stock' }]);
    expect((await client.attempt(getOnCall, { team: 'None' })).status).toBe(404);
  });

  it('starts with the teams of the apps that the caller sees', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    const teams = await farmer.call(getOnCall, {});
    expect(teams.map(({ team }) => team)).toEqual(['Platform', 'Health', 'Broken', 'Stock']);
  });

  it('does not read the source for each request', async () => {
    await client.call(getOnCall, { team: 'Stock' });
    rosters.faults.set({ mode: 'error500', status: 429 });
    const requestsBefore = rosters.requests().length;
    expect(await client.call(getOnCall, { team: 'Stock' })).toMatchObject([{ problem: null }]);
    expect(rosters.requests()).toHaveLength(requestsBefore);
  });
});

describe('phone numbers and feed addresses', () => {
  it('shows numbers and never logs them', async () => {
    const whole = (team: string, personId: string) => client.call(revealNumber, { team, personId });
    expect(await whole('Health', 'Thabo Mokoena')).toEqual({ number: '+27 82 555 0142' });
    expect(await whole('Stock', 'PU1')).toEqual({ number: '+27 825550131' });
    expect((await client.attempt(revealNumber, { team: 'Stock', personId: 'Thabo Mokoena' })).status).toBe(404);
    expect(world.server.logged()).toContain('could not read the support roster');
    for (const secret of ['0142', '825550131', token, 'broken.ics'])
      expect(world.server.logged()).not.toContain(secret);
  });
});

it('a server that starts while a source is unreachable shows the roster saved by another one', async () => {
  const { pool } = world.server.dependencies;
  const health = async () => (await pool.query(`select from saved_roster where team = 'Health'`)).rowCount;
  await expect.poll(health, { timeout: 100_000 }).toBe(1);
  const [before] = await client.call(getOnCall, { team: 'Health' });
  rosters.faults.set({ mode: 'error500' });
  const server = await startTestServer({
    environments: [{ name: 'Production', baseUrl: world.baseUrl, timeZone: 'Africa/Johannesburg' }],
    databaseUrl: world.server.databaseUrl,
    supportRoster: supportRoster(),
  });
  try {
    const later = await server.signIn('demo', 'demo');
    await expect
      .poll(async () => (await later.call(getOnCall, { team: 'Health' }))[0], { timeout: 100_000 })
      .toMatchObject({ now: before?.now, gaps: before?.gaps, problem: expect.stringContaining('status 500') });
    const rows = await later.call(getRoster, { team: 'Health', ...getYearWindow(new Date(), 'Africa/Johannesburg') });
    expect(rows.length).toBeGreaterThan(45);
    expect(await later.call(getOnCall, { team: 'Broken' })).toMatchObject([{ readAt: null }]);
  } finally {
    await server.stop();
  }
});

it('reports beside each team what is missing, and what is left out, of its roster, also after a restart', async () => {
  // On Mondays before six, the week before is under way.
  const when = [`DTSTART:${written(monday(-1))}`, 'DURATION:P14D'];
  const attendee = (address: string) => `ATTENDEE;CN=${address.split('@')[0]}:mailto:${address}`;
  rosters.replaceFeed(
    'wiki',
    writeCalendar([
      ['UID:1', 'SUMMARY:Duty', attendee('thabo@company.example'), attendee('naledi@company.example'), ...when],
      ['UID:2', 'SUMMARY:Public holiday', ...when],
    ]),
  );
  rosters.replaceFeed('hidden', writeCalendar([['UID:1', 'SUMMARY:Busy', ...when]]));
  // The coming month is read first.
  rosters.faults.set({ path: '/v3/schedules/SHIFTS1', mode: 'unreadable', times: 1 });
  const settings: TestServerOptions = {
    databaseUrl: world.server.databaseUrl,
    environments: [{ name: 'Production', baseUrl: world.baseUrl, timeZone: 'Africa/Johannesburg' }],
    supportRoster: {
      ...supportRoster(),
      teams: [
        { name: 'Wiki', calendar: rosters.feedUrl('wiki'), nameFrom: 'attendee', namePattern: '^Duty' },
        { name: 'Hidden', calendar: rosters.feedUrl('hidden') },
        { name: 'Shifts', pagerDutySchedule: 'SHIFTS1' },
      ],
      people: [{ name: 'Thabo Mokoena', number: '+27 82 555 0142', email: 'Thabo@company.example' }],
    },
  };
  const server = await startTestServer(settings);
  try {
    const visitor = await server.signIn('demo', 'demo', world.baseUrl);
    const expected = [
      {
        team: 'Wiki',
        now: [
          { name: 'naledi', number: null },
          { name: 'Thabo Mokoena', number: '+27 82 555 0142' },
        ],
        warnings: [],
        notes: ['One event is not shown: the title is not that of a shift.'],
      },
      {
        team: 'Hidden',
        now: [],
        gaps: [{}],
        warnings: ['All events are called “Busy”: the calendar is published without details, so it names no one.'],
      },
      {
        team: 'Shifts',
        warnings: [expect.stringMatching(/^A shift that starts at .+ UTC cannot be read\.$/)],
        notes: [],
      },
    ];
    expect(await visitor.call(getOnCall, { numbers: 'true' })).toMatchObject(expected);
    const { items } = await visitor.call(getAttention, undefined);
    expect(items.find(({ title }) => title === 'Hidden')?.detail).toMatch(/^No one is known to be on call now, until /);

    const saved = `select from saved_roster where team in ('Wiki', 'Hidden', 'Shifts')`;
    const { pool } = world.server.dependencies;
    await expect.poll(async () => (await pool.query(saved)).rowCount).toBe(3);
    rosters.faults.set({ mode: 'error500' });
    const restarted = await startTestServer(settings);
    onTestFinished(() => restarted.stop());
    const later = await restarted.signIn('demo', 'demo', world.baseUrl);
    const problem = expect.any(String);
    await expect
      .poll(() => later.call(getOnCall, { numbers: 'true' }))
      .toMatchObject(expected.map((team) => ({ ...team, problem })));
  } finally {
    await server.stop();
  }
});

it('a server starts while every source hangs', async () => {
  rosters.faults.set({ mode: 'hang' });
  let server: TestServer | undefined;
  try {
    server = await startTestServer({
      environments: [{ name: 'Production', baseUrl: world.baseUrl }],
      supportRoster: supportRoster(),
    });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  } finally {
    rosters.faults.clear();
    await server?.stop();
  }
});
