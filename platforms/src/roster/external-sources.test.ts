import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { inspect } from 'node:util';
import { Unreachable } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { writeCalendar, writeRotationFeed } from '@portal/simulators/roster/rotation-feed';
import { type RosterSimulator, startRosterSimulator } from '@portal/simulators/roster/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CalendarExpander } from './calendar/calendar-expander.ts';
import { createCalendarSource } from './calendar/calendar-source.ts';
import { RetryLater } from './fetch-external.ts';

const now = new Date('2026-03-04T12:00:00Z');
const year = { from: new Date('2026-01-01T00:00Z'), to: new Date('2027-01-01T00:00Z') };
const march = { from: new Date('2026-03-01T00:00Z'), to: new Date('2026-03-16T00:00Z') };
const rotation = { timeZone: 'Africa/Lusaka', people: ['A', 'B', 'C'], swapEvery: 10, shortEvery: 10 };

const expander = new CalendarExpander({ timeoutMs: 60_000 });
let simulator: RosterSimulator;
let other: Server | undefined;

beforeAll(async () => {
  simulator = await startRosterSimulator({
    feeds: { weeks: () => writeRotationFeed(rotation, now) },
    pagerDuty: { token: 'right', users: [], scheduleIds: [] },
  });
});
afterAll(async () => {
  await simulator.stop();
  await expander.stop();
});
afterEach(() => {
  simulator.faults.clear();
  other?.close();
  other?.closeAllConnections();
  other = undefined;
});

const calendarAt = (address: string, timeoutMs = 5_000) =>
  createCalendarSource({
    team: 'Health',
    address: new Secret(address),
    timeZone: 'Africa/Lusaka',
    expander,
    timeoutMs,
  });
const calendar = (name = 'weeks', timeoutMs?: number) => calendarAt(simulator.feedUrl(name), timeoutMs);
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  other = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hidden-part.ics`;
}

/** Returns the error thrown, which must be readable and must not contain the address. */
async function catchFailure(source: { read: (spans: (typeof year)[]) => Promise<unknown> }): Promise<Unreachable> {
  const failure = await source.read([year]).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof Unreachable)) throw new Error(`expected Unreachable, got ${inspect(failure)}`);
  expect(inspect(failure, { depth: 5 })).not.toMatch(/hidden-part|weeks\.ics|token=/);
  return failure;
}

describe('calendar source', () => {
  it('reads shifts with swaps and a gap', async () => {
    const { shifts } = await calendar().read([march]);
    expect(shifts[0]?.map(({ name, start, end }) => `${name} ${start.toISOString()} ${end.toISOString()}`)).toEqual([
      'B 2026-02-23T06:00:00.000Z 2026-03-02T06:00:00.000Z',
      // C's week, covered by B.
      'B 2026-03-02T06:00:00.000Z 2026-03-09T06:00:00.000Z',
      'A 2026-03-09T06:00:00.000Z 2026-03-14T16:00:00.000Z',
    ]);
  });

  it('does not download an unchanged calendar again', async () => {
    const source = calendar();
    const first = await source.read([year]);
    expect(await source.read([year])).toBe(first);
    expect((await source.read([march])).shifts[0]).toHaveLength(3);
    expect(
      simulator
        .requests()
        .slice(-3)
        .map((line) => line.split(' ')[1]),
    ).toEqual(['200', '304', '200']);
  });

  it.each([
    ['refuse', {}, 'The calendar of Health cannot be reached: the connection was closed.'],
    ['html', {}, 'The calendar of Health cannot be read: it is not valid iCalendar'],
    ['error500', {}, 'The calendar of Health returned status 500.'],
    ['error500', { status: 401 }, "The calendar of Health does not accept the portal's credentials (status 401)."],
    ['error500', { status: 404 }, 'The calendar of Health was not found (status 404).'],
    ['half-body', {}, 'The calendar of Health cannot be reached: the connection was closed.'],
  ] as const)('reports a failure: %s %j', async (mode, more, message) => {
    simulator.faults.set({ mode, ...more });
    expect((await catchFailure(calendar())).message).toContain(message);
  });

  it('gives up on a calendar that does not respond', async () => {
    simulator.faults.set({ mode: 'hang' });
    const failure = await catchFailure(calendar('weeks', 50));
    expect(failure).toMatchObject({ status: 504, message: 'The calendar of Health did not respond within 0.05 s.' });
  });

  it('reads when to retry, as seconds and as a date', async () => {
    const date = new Date(Date.now() + 120_000);
    for (const retryAfter of ['120', date.toUTCString()]) {
      const address = await serve((_request, response) => response.writeHead(429, { 'retry-after': retryAfter }).end());
      const failure = await catchFailure(calendarAt(address));
      expect(failure).toBeInstanceOf(RetryLater);
      const untilMs = (failure as RetryLater).until.getTime();
      // The date in the header has no milliseconds.
      expect(untilMs).toBeGreaterThanOrEqual(date.getTime() - 1_000);
      expect(untilMs).toBeLessThanOrEqual(Date.now() + 120_000);
      other?.close();
    }
  });

  it('follows redirects within the host without the credentials they name, and none to another', async () => {
    const text = writeCalendar([['UID:1', 'SUMMARY:A', 'DTSTART:20260302T080000Z', 'DURATION:PT1H']]);
    const asked: string[] = [];
    const redirects: Record<string, string> = {
      '/hidden-part.ics': '/moved.ics',
      '/twice.ics': '/hidden-part.ics',
      '/sign-in.ics': '//user:word@HOST/moved.ics',
      '/away.ics': 'http://elsewhere.example/moved.ics',
      '/endless.ics': '/endless.ics',
    };
    const address = await serve(({ url = '', headers }, response) => {
      asked.push(`${url} ${headers.authorization ?? 'without credentials'}`);
      const location = redirects[url]?.replace('HOST', headers.host ?? '');
      if (location === undefined) response.writeHead(200, { 'content-type': 'text/calendar' }).end(text);
      else response.writeHead(302, { location }).end();
    });
    const at = (path: string) => calendarAt(address.replace('/hidden-part.ics', path));
    for (const path of ['/twice.ics', '/sign-in.ics']) {
      const { shifts } = await at(path).read([march]);
      expect(shifts[0]?.map(({ name }) => name)).toEqual(['A']);
    }
    expect(asked).toEqual(
      ['/twice.ics', '/hidden-part.ics', '/moved.ics', '/sign-in.ics', '/moved.ics'].map(
        (path) => `${path} without credentials`,
      ),
    );
    for (const path of ['/away.ics', '/endless.ics'])
      expect((await catchFailure(at(path))).message).toContain('redirects to another address (status 302)');
  });

  it('rejects a calendar of 50 MB while it is received', async () => {
    const piece = 'X-NOTHING:'.padEnd(1024 * 1024 - 2, 'x').concat('\r\n');
    let sent = 0;
    function* pieces() {
      for (; sent < 50; sent++) yield piece;
    }
    const address = await serve((_request, response) => {
      pipeline(Readable.from(pieces()), response, () => undefined);
    });
    expect((await catchFailure(calendarAt(address, 30_000))).message).toBe(
      'The calendar of Health is larger than 10 MB.',
    );
    expect(sent).toBeLessThan(50);
  });

  it('reads the other events of a calendar beside a rule that never matches', async () => {
    const never = [
      'UID:1',
      'SUMMARY:A',
      'DTSTART:20260101T080000Z',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    ];
    const once = ['UID:2', 'SUMMARY:B', 'DTSTART:20260302T080000Z', 'DURATION:PT1H'];
    simulator.replaceFeed('never', writeCalendar([never, once]));
    const { shifts, warnings } = await calendar('never').read([march]);
    expect(shifts[0]?.map(({ name }) => name)).toEqual(['B']);
    expect(warnings).toEqual([]);
  });

  it('reports what it skipped', async () => {
    const [good, bad] = ['DTSTART:20260101T080000Z', 'DTSTART:soon'].map((start) => [
      'UID:1',
      'SUMMARY:A',
      start,
      'DURATION:PT1H',
    ]);
    simulator.replaceFeed('damaged', writeCalendar([good ?? [], bad ?? []]));
    const { shifts, warnings } = await calendar('damaged').read([year]);
    expect(shifts[0]).toHaveLength(1);
    expect(warnings).toEqual(['The event "A" was skipped: DTSTART is not a valid time.']);
  });

  it('decodes names by the charset of the response', async () => {
    const body = Buffer.from(
      writeCalendar([['UID:1', 'SUMMARY:Zoë', 'DTSTART:20260101T080000Z', 'DURATION:PT1H']]),
      'latin1',
    );
    const type = 'text/calendar; charset=ISO-8859-1';
    const address = await serve((_request, response) => response.writeHead(200, { 'content-type': type }).end(body));
    expect((await calendarAt(address).read([year])).shifts[0]?.map(({ name }) => name)).toEqual(['Zoë']);
  });

  it('abandons a calendar that takes too long to expand', async () => {
    const impatient = new CalendarExpander({ timeoutMs: 1 });
    const daily = (uid: number) => [
      `UID:${uid}`,
      'SUMMARY:A',
      'DTSTART:20260101T080000Z',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY',
    ];
    const large = {
      bytes: Buffer.from(writeCalendar(Array.from({ length: 20_000 }, (_, uid) => daily(uid)))),
      contentType: null,
    };
    const job = { ...large, spans: [year], timeZone: 'UTC' };
    await expect(impatient.expand('The calendar of Health', job)).rejects.toThrow(
      'The calendar of Health cannot be read: its events take too long to expand.',
    );
    await impatient.stop();
  });
});
