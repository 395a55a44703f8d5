import { Unreachable } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { type RosterSimulator, startRosterSimulator } from '@portal/simulators/roster/simulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RetryLater } from '../fetch-external.ts';
import type { RosterReading } from '../roster-source.ts';
import { createPagerDutyAccount, type PagerDutyAccount } from './pager-duty-account.ts';
import { createPagerDutySource } from './pager-duty-source.ts';

const users = [
  { id: 'P1', name: 'Lerato Nkosi', phone: { country_code: 27, address: '825550131' } },
  { id: 'P2', name: 'Johan Botha', phone: null },
  { id: 'P3', name: 'Zanele Sithole', phone: { country_code: 27, address: '835550156' } },
];
const year = { from: new Date('2026-01-01T00:00Z'), to: new Date('2027-01-01T00:00Z') };
/** A day of the slice from 8 March to 7 May, which has all of the coming month. */
const march = { from: new Date('2026-03-12T12:00Z'), to: new Date('2026-03-13T12:00Z') };
const schedules = { scheduleIds: ['OLD1'], shiftBasedScheduleIds: ['NEW1'] };
/** The simulator's limit counts minutes of the machine, not those of the tests. */
const maxCallsPerMinute = Number.MAX_SAFE_INTEGER;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let simulator: RosterSimulator;
let now: number;
let account: PagerDutyAccount;

beforeAll(async () => {
  simulator = await startRosterSimulator({
    feeds: {},
    pagerDuty: { token: 'right', users, ...schedules, maxCallsPerMinute },
  });
});
afterAll(() => simulator.stop());
beforeEach(() => {
  now = march.from.getTime();
  account = createAccount();
});
afterEach(() => simulator.faults.clear());

const createAccount = (token = 'right', baseUrl = simulator.pagerDutyUrl) =>
  createPagerDutyAccount({ baseUrl, token: new Secret(token), now: () => now });
const schedule = (scheduleId = 'OLD1', { team = 'Stock', known = '' } = {}) =>
  createPagerDutySource({ team, account, scheduleId, hasNumberFor: (name) => name === known });

/** Returns what the simulator was asked during an action, without its host. */
async function watch(act: () => Promise<unknown>): Promise<string[]> {
  const before = simulator.requests().length;
  await act();
  return simulator
    .requests()
    .slice(before)
    .map((line) => line.replace('/pagerduty', ''));
}

async function catchFailure(reading: Promise<unknown>): Promise<Unreachable> {
  const failure: unknown = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Unreachable) return failure;
  throw new Error('expected a failure', { cause: failure });
}

const written = ({ shifts: [shifts = []] }: RosterReading) =>
  shifts.map(({ name, start, end }) => `${name} ${start.toISOString()} ${end.toISOString()}`);

describe('a PagerDuty schedule', () => {
  it.each(['OLD1', 'NEW1'])('shows the names and whole shifts of either kind of schedule: %s', async (id) => {
    expect(written(await schedule(id).read([march]))).toEqual([
      'Zanele Sithole 2026-03-12T06:00:00.000Z 2026-03-12T18:00:00.000Z',
      'Lerato Nkosi 2026-03-12T18:00:00.000Z 2026-03-13T06:00:00.000Z',
      'Johan Botha 2026-03-13T06:00:00.000Z 2026-03-13T18:00:00.000Z',
    ]);
  });

  it.each(['OLD1', 'NEW1'])('shows each shift of a year once, though longer ranges are refused: %s', async (id) => {
    const reading = await schedule(id).read([year]);
    const starts = reading.shifts[0]?.map(({ start }) => start.getTime()) ?? [];
    expect(starts).toHaveLength(2 * 365 + 1);
    expect(starts.every((start, at) => at === 0 || start - (starts[at - 1] ?? 0) === 12 * hourMs)).toBe(true);
    expect(reading).toMatchObject({ warnings: [], notes: [], unread: [] });
  });

  it('reads the coming month each time, and times far away once an hour', async () => {
    const source = schedule('OLD1');
    await source.read([year]);
    now += 5 * 60_000;
    expect(await watch(() => source.read([year]))).toEqual(['/schedules/OLD1 200']);
    now += hourMs;
    const later = await watch(() => source.read([year]));
    expect(later.filter((line) => line.startsWith('/schedules/'))).toHaveLength(7);
    expect(later.filter((line) => line.includes('contact_methods'))).toHaveLength(3);
  });

  it('reports what is known of the coming month before it reads the rest', async () => {
    const progress: RosterReading[] = [];
    const whole = await schedule().read([year], (reading) => progress.push(reading));
    expect(progress.map(({ warnings }) => warnings)).toEqual([
      [
        'The shifts from 2025-11-08 to 2026-03-08 are not known. They are being read.',
        'The shifts from 2026-05-07 to 2027-01-02 are not known. They are being read.',
      ],
    ]);
    expect(whole.warnings).toEqual([]);
  });

  it('asks for the numbers that the portal does not have, and caches them', async () => {
    const source = schedule('OLD1', { known: 'Zanele Sithole' });
    const { numbers } = await source.read([march]);
    expect([...numbers]).toEqual([['P1', '+27 825550131']]);
    expect(await watch(() => source.read([march]))).toEqual([]);
  });

  it.each([
    ['wrong', 'OLD1', "PagerDuty's schedule of Stock does not accept the portal's credentials (status 401)."],
    ['right', 'NONE1', "PagerDuty's schedule of Stock was not found (status 404)."],
  ])('reports a rejected token and an unknown schedule: %s %s', async (token, id, message) => {
    account = createAccount(token);
    expect((await catchFailure(schedule(id).read([march]))).message).toContain(message);
  });

  it('asks version 3 once for a schedule that version 2 does not know, and then the one that has it', async () => {
    const [unknown, moved] = [schedule('NONE1'), schedule('NEW1')];
    expect(await watch(() => catchFailure(unknown.read([march])))).toEqual([
      '/schedules/NONE1 404',
      '/v3/schedules/NONE1 404',
    ]);
    expect(await watch(() => catchFailure(unknown.read([march])))).toEqual(['/schedules/NONE1 404']);
    const first = await watch(() => moved.read([march]));
    expect(first.slice(0, 2)).toEqual(['/schedules/NEW1 404', '/v3/schedules/NEW1 200']);
    now += 60_000;
    expect(await watch(() => moved.read([march]))).toEqual(['/v3/schedules/NEW1 200']);
  });

  it('asks version 3 also where version 2 answers with 400', async () => {
    simulator.faults.set({ path: '^/pagerduty/schedules/', mode: 'refused' });
    expect(written(await schedule('NEW1').read([march]))).toHaveLength(3);
  });
});

describe('an entry that is not as usual', () => {
  it('lasts as long as was asked if it has no end', async () => {
    simulator.faults.set({ mode: 'open-ended', path: '/schedules/OLD1' });
    const slice = { from: new Date('2026-03-08T00:00Z'), to: new Date('2026-05-07T00:00Z') };
    const { shifts, warnings } = await schedule().read([slice]);
    expect(warnings).toEqual([]);
    expect(shifts[0]?.at(-1)).toMatchObject({ start: new Date('2026-05-06T18:00Z'), end: slice.to });
  });

  it.each([
    ['OLD1', 'unassigned'],
    ['NEW1', 'unassigned'],
    ['OLD1', 'no-entries'],
    ['NEW1', 'no-entries'],
  ] as const)('is a gap if no one is assigned: %s %s', async (id, mode) => {
    simulator.faults.set({ mode, path: `/schedules/${id}` });
    expect(await schedule(id).read([march])).toMatchObject({ shifts: [[]], warnings: [] });
  });

  it.each(['OLD1', 'NEW1'])('is left out if it cannot be read, with a warning about its start: %s', async (id) => {
    simulator.faults.set({ mode: 'unreadable', path: `/schedules/${id}` });
    const { shifts, warnings } = await schedule(id).read([march]);
    expect(shifts[0]).toHaveLength(3);
    expect(warnings).toEqual(['A shift that starts at 2026-03-07 18:00 UTC cannot be read.']);
  });

  it('is named by id, with a warning, if the name of its person cannot be read', async () => {
    simulator.faults.set({ mode: 'error500', path: '/users/P1$', status: 403 });
    const { shifts, warnings } = await schedule('NEW1').read([march]);
    expect(shifts[0]?.map(({ name }) => name)).toEqual(['Zanele Sithole', 'P1', 'Johan Botha']);
    expect(warnings).toEqual([
      "The name of PagerDuty's user P1 is not known. PagerDuty's user does not accept the portal's credentials (status 403).",
    ]);
  });

  it('gets its name from the person if version 2 sends only the id', async () => {
    simulator.faults.set({ mode: 'unnamed', path: '/schedules/OLD1' });
    expect((await schedule().read([march])).shifts[0]?.map(({ name }) => name)).toEqual([
      'Zanele Sithole',
      'Lerato Nkosi',
      'Johan Botha',
    ]);
  });
});

describe('a range that PagerDuty refuses', () => {
  it('is halved, down to a week, and the length that is accepted is asked for from then on', async () => {
    const strict = await startRosterSimulator({
      feeds: {},
      pagerDuty: { token: 'right', users, ...schedules, maxDays: 20, maxCallsPerMinute },
    });
    try {
      account = createAccount('right', strict.pagerDutyUrl);
      const source = schedule('OLD1');
      const reading = await source.read([year]);
      expect(reading).toMatchObject({ warnings: [], unread: [] });
      expect(reading.shifts[0]).toHaveLength(2 * 365 + 1);
      const before = strict.requests().length;
      now += 60_000;
      await source.read([year]);
      expect(strict.requests().slice(before)).toEqual(Array(4).fill('/pagerduty/schedules/OLD1 200'));
    } finally {
      await strict.stop();
    }
  });

  it.each([
    ['refused', 'Invalid Input Provided · Time range is too long. · Ask for less.'],
    ['refused-by-field', 'Invalid Request · schedule.until: Time range is too long.'],
  ] as const)(
    "is a gap with a warning that has PagerDuty's reason, as a list or by field: %s",
    async (mode, reason) => {
      const source = schedule();
      // Both versions refuse the first part of the slice in four lengths, and nothing after it.
      simulator.faults.set({ mode, times: 8, path: '/schedules/OLD1' });
      const { shifts, warnings, unread } = await source.read([march]);
      const refused = `PagerDuty's schedule of Stock returned status 400. Its reason: ${reason}`;
      expect(warnings).toEqual([`The shifts from 2026-03-08 to 2026-03-15 are not known. ${refused}`]);
      expect(unread).toHaveLength(1);
      expect(shifts[0]).toEqual([]);
    },
  );

  it('shows at most 500 characters of a reason, and none that repeats the token', async () => {
    const long = `${'no '.repeat(400)}end`;
    const { server, url } = await serve({ error: { message: long } });
    try {
      account = createAccount('right', url);
      const { message } = await catchFailure(schedule().read([march]));
      expect(message).toHaveLength("PagerDuty's schedule of Stock returned status 400. Its reason: ".length + 500);
    } finally {
      await server.stop();
    }
    const repeating = await serve({ error: { message: 'Bad header: Token token=right', errors: [] } });
    try {
      account = createAccount('right', repeating.url);
      const { message } = await catchFailure(schedule().read([march]));
      expect(message).toBe("PagerDuty's schedule of Stock returned status 400.");
    } finally {
      await repeating.server.stop();
    }
  });

  it('far away is a gap with a warning, and hides nothing that is near', async () => {
    const source = schedule();
    // The near slice comes first.
    simulator.faults.set({ mode: 'error500', skip: 1, path: '/schedules/OLD1' });
    const { shifts, warnings, unread } = await source.read([year]);
    expect(shifts[0]).toHaveLength(121);
    expect(warnings).toEqual([
      "The shifts from 2025-11-08 to 2026-03-08 are not known. PagerDuty's schedule of Stock returned status 500.",
      "The shifts from 2026-05-07 to 2027-01-02 are not known. PagerDuty's schedule of Stock returned status 500.",
    ]);
    expect(unread?.map(({ from }) => from.toISOString())).toEqual([
      '2025-11-08T00:00:00.000Z',
      '2026-05-07T00:00:00.000Z',
    ]);
    simulator.faults.clear();
    expect(await source.read([year])).toMatchObject({ warnings: [], unread: [] });
    simulator.faults.set({ mode: 'error500', skip: 1, path: '/schedules/OLD1' });
    now += 2 * hourMs;
    const later = await source.read([year]);
    expect(later.shifts[0]).toHaveLength(2 * 365 + 1);
    expect(later.warnings[0]).toContain('could not be read again');
    expect(later.unread).toEqual([]);
  });
});

describe('a limit of PagerDuty', () => {
  it('stops all calls with the token until it is renewed', async () => {
    const [stock, health] = [schedule(), schedule('OLD1', { team: 'Health' })];
    simulator.faults.set({ mode: 'rate-limited', times: 1 });
    const started = Date.now();
    now = started;
    const asked = await watch(async () => {
      const failures = await Promise.all([stock, health].map((source) => catchFailure(source.read([march]))));
      expect(failures.map(({ message }) => message)).toEqual([
        "PagerDuty's schedule of Stock asked the portal to wait (status 429).",
        'PagerDuty asked the portal to wait.',
      ]);
      for (const failure of failures) {
        const waitMs = (failure as RetryLater).until.getTime() - started;
        expect(waitMs).toBeGreaterThanOrEqual(3_000);
        // Not the default of a minute.
        expect(waitMs).toBeLessThan(60_000);
      }
    });
    expect(asked).toEqual(['/schedules/OLD1 429']);
    now += dayMs;
    expect(written(await stock.read([march]))).toHaveLength(3);
  });

  it('stops the calls for numbers after the first', async () => {
    const source = schedule();
    simulator.faults.set({ mode: 'rate-limited', path: 'contact_methods' });
    now = Date.now();
    const today = { from: new Date(now), to: new Date(now + dayMs) };
    const asked = await watch(() => source.read([today]));
    expect(asked.filter((line) => line.includes('contact_methods'))).toHaveLength(1);
  });

  it.each([401, 403, 404])('asks for a number again an hour after it was refused with %i', async (status) => {
    const source = schedule();
    simulator.faults.set({ path: 'contact_methods', mode: 'error500', status });
    const countNumbers = async () => {
      const asked = await watch(() => source.read([march]));
      return asked.filter((line) => line.includes('contact_methods')).length;
    };
    expect(await countNumbers()).toBe(3);
    now += 59 * 60_000;
    expect(await countNumbers()).toBe(0);
    now += 2 * 60_000;
    expect(await countNumbers()).toBe(3);
  });

  it('does not wait for each schedule while PagerDuty does not answer', async () => {
    simulator.faults.set({ mode: 'refuse' });
    const sources = ['A', 'B', 'C', 'D'].map((team) => schedule('OLD1', { team }));
    const failures = await Promise.all(sources.map((source) => catchFailure(source.read([march]))));
    expect(failures.map(({ message }) => message).slice(1)).toEqual([
      "PagerDuty's schedule of B cannot be reached: the connection was closed.",
      'PagerDuty does not respond.',
      'PagerDuty does not respond.',
    ]);
  });
});

describe('the calls with one token', () => {
  it.each(['OLD1', 'NEW1'])('are at most 200 in five minutes for 50 teams, nearest times first: %s', async (id) => {
    const weekly = await startRosterSimulator({
      feeds: {},
      pagerDuty: { token: 'right', users, ...schedules, turnHours: 7 * 24, maxCallsPerMinute },
    });
    account = createAccount('right', weekly.pagerDutyUrl);
    const sources = Array.from({ length: 50 }, (_, at) => schedule(id, { team: `Team ${at}` }));
    const spans = [year, { from: year.to, to: new Date('2028-01-01T00:00Z') }];
    const soon = { from: new Date(now), to: new Date(now + 20 * dayMs) };
    try {
      for (let round = 1; ; round += 1) {
        const before = weekly.requests().length;
        const readings = await Promise.all(sources.map((source) => source.read([...spans, soon])));
        expect(weekly.requests().length - before).toBeLessThanOrEqual(200);
        // Also at first, all teams have the shifts of the coming weeks, with names and numbers.
        for (const { shifts, numbers } of readings) {
          expect(shifts[2]?.map(({ name }) => users.some((user) => user.name === name))).toEqual(Array(4).fill(true));
          expect(numbers.size).toBe(2);
        }
        if (readings.every(({ warnings }) => warnings.length === 0)) break;
        // 650 slices, less than half of 200 in each round.
        expect(round).toBeLessThan(9);
        now += 5 * 60_000;
      }
    } finally {
      await weekly.stop();
    }
  });
});

/** A server that refuses each call with 400 and this body. */
async function serve(body: unknown) {
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    server: {
      stop: () =>
        new Promise<void>((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    },
  };
}
