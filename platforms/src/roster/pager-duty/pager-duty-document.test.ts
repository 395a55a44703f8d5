/**
 * Compares the client and the simulator with documents of PagerDuty's API: the one written for the
 * tests, and PagerDuty's own if `PAGERDUTY_OPENAPI` has its path. Stoplight's Prism, which `npm run
 * second-readers` installs, checks them too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '@portal/kit/ports';
import { Secret } from '@portal/kit/secret';
import { type RosterSimulator, startRosterSimulator } from '@portal/simulators/roster/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findSecondReader } from '../../second-readers.fixture.ts';
import { OpenApiDocument, type RecordedCall } from './openapi-document.fixture.ts';
import { createPagerDutyAccount } from './pager-duty-account.ts';
import { createPagerDutySource } from './pager-duty-source.ts';

const documents: readonly (readonly [string, string | undefined])[] = [
  ['the description of the tests', join(import.meta.dirname, 'pager-duty.openapi.json')],
  ["PagerDuty's own document (PAGERDUTY_OPENAPI)", process.env.PAGERDUTY_OPENAPI],
];
const prism = findSecondReader('@stoplight/prism-cli');
const users = [
  { id: 'PU1', name: 'Lerato Nkosi', phone: { country_code: 27, address: '825550131' } },
  { id: 'PU2', name: 'Johan Botha', phone: null },
];
const now = Date.parse('2026-03-12T12:00:00Z');
const timesOfExamples = ['2015-11', '2026-03'].map((month) => ({
  from: new Date(`${month}-05T00:00Z`),
  to: new Date(`${month}-20T00:00Z`),
}));
const span = { from: new Date(now), to: new Date(now + 200 * 86_400_000) };

let simulator: RosterSimulator;
const running: { stop(): void }[] = [];

beforeAll(async () => {
  simulator = await startRosterSimulator({
    feeds: {},
    // The first ranges are refused.
    pagerDuty: { token: 'right', users, scheduleIds: ['OLD1'], shiftBasedScheduleIds: ['NEW1'], maxDays: 45 },
  });
});
afterAll(() => simulator.stop());
afterEach(() => {
  simulator.faults.clear();
  for (const one of running.splice(0)) one.stop();
});

const read = (baseUrl: string, scheduleId: string, token = 'right') =>
  createPagerDutySource({
    team: 'Stock',
    account: createPagerDutyAccount({ baseUrl, token: new Secret(token), now: () => now }),
    scheduleId,
    hasNumberFor: () => false,
  }).read([span]);

/** Starts a server that answers all calls, and returns its address. */
async function serve(
  answer: (method: string, path: string, headers: Headers) => Promise<RecordedCall>,
): Promise<string> {
  const server: Server = createServer((request, response) => {
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    void answer(request.method ?? '', request.url ?? '', headers).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  running.push({
    stop() {
      server.closeAllConnections();
      server.close();
    },
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return `http://127.0.0.1:${port}`;
}

/** Starts a proxy before the simulator that records calls. */
async function record(): Promise<{ readonly url: string; readonly calls: readonly RecordedCall[] }> {
  const calls: RecordedCall[] = [];
  const url = await serve(async (method, path, headers) => {
    headers.delete('host');
    headers.delete('connection');
    const response = await fetch(simulator.pagerDutyUrl + path, { method, headers });
    const { pathname, searchParams } = new URL(path, 'http://simulator');
    const call = {
      method,
      path: pathname,
      query: searchParams,
      headers: Object.fromEntries(headers),
      status: response.status,
      body: await response.json(),
    };
    calls.push(call);
    return call;
  });
  return { url, calls };
}

describe.each(documents)('%s', (_name, file) => {
  it.skipIf(!file)('describes each call of the client, and each response of the simulator', async () => {
    const { url, calls } = await record();
    await read(url, 'OLD1');
    await read(url, 'NEW1');
    await expect(read(url, 'NONE1')).rejects.toThrow('status 404');
    await expect(read(url, 'OLD1', 'wrong')).rejects.toThrow('status 401');
    simulator.faults.set({ mode: 'rate-limited' });
    await expect(read(url, 'OLD1')).rejects.toThrow('status 429');
    simulator.faults.set({ mode: 'unassigned' });
    await read(url, 'OLD1');
    await read(url, 'NEW1');
    const kinds = new Set(calls.map(({ path, status }) => `${path} ${status}`));
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        ...['/schedules/OLD1 200', '/schedules/OLD1 400', '/schedules/OLD1 401', '/schedules/OLD1 429'],
        ...['/v3/schedules/NEW1 200', '/v3/schedules/NEW1 400', '/v3/schedules/NONE1 404'],
        ...['/users/PU1 200', '/users/PU1/contact_methods 200', '/users/PU2/contact_methods 200'],
      ]),
    );
    const document = new OpenApiDocument(file ?? '');
    expect(calls.flatMap((call) => document.findViolations(call))).toEqual([]);
  });

  it.skipIf(!file)('has examples that the client reads', async () => {
    const document = new OpenApiDocument(file ?? '');
    const url = await serve(async (method, path, headers) => {
      const { pathname, searchParams } = new URL(path, 'http://simulator');
      const template = pathname.replace(/^(.*\/(?:schedules|users))\/[^/]+/, '$1/{id}');
      const body = document.findExample(template, 200);
      return { method, path, query: searchParams, headers: Object.fromEntries(headers), status: 200, body };
    });
    const { shifts, warnings, numbers } = await createPagerDutySource({
      team: 'Stock',
      account: createPagerDutyAccount({ baseUrl: url, token: new Secret('any'), now: () => now }),
      scheduleId: 'OLD1',
      hasNumberFor: () => false,
    }).read(timesOfExamples);
    const [shift, ...others] = shifts.flat();
    expect({ warnings, others }).toEqual({ warnings: [], others: [] });
    expect(shift?.name).toMatch(/^\p{L}+ \p{L}+$/u);
    expect([...numbers.values()].every((number) => number.startsWith('+'))).toBe(true);
  });

  it.skipIf(!file)('finds what is not as described', async () => {
    const { url, calls } = await record();
    await read(url, 'OLD1');
    await read(url, 'NEW1');
    const find = (path: string) => calls.find((call) => call.path === path && call.status === 200);
    const [old, shifts] = [find('/schedules/OLD1'), find('/v3/schedules/NEW1')];
    if (!old || !shifts) throw new Error('expected both calls');
    const document = new OpenApiDocument(file ?? '');
    const { 'content-type': _type, ...headers } = old.headers;
    expect(document.findViolations({ ...old, headers })).toEqual(['GET /schedules/{id} 200: no header Content-Type']);
    expect(
      document.findViolations({ ...old, query: new URLSearchParams({ since: 'today', until: '', all: 'true' }) }),
    ).toHaveLength(3);
    expect(document.findViolations({ ...old, body: {} })).toEqual([
      'GET /schedules/{id} 200: body.schedule is missing',
    ]);
    const assignment = { type: 'computed_shift_assignment', start_time: '2026-03-09T06:00:00Z', member: {} };
    const final = { type: 'final_schedule', rendered_coverage_percentage: 1, computed_shift_assignments: [assignment] };
    const schedule = { id: 'NEW1', type: 'schedule_v3', name: 'A', time_zone: 'UTC', final_schedule: final };
    const at = 'GET /v3/schedules/{id} 200: body.schedule.final_schedule.computed_shift_assignments[0]';
    expect(document.findViolations({ ...shifts, body: { schedule } })).toEqual([
      `${at}.end_time is missing`,
      `${at}.source is missing`,
      `${at}.member.type is missing`,
    ]);
  });

  it.skipIf(!file || !prism)('is met by client and simulator by the judgment of Prism', async () => {
    const prismUrl = await startPrism(file ?? '', simulator.pagerDutyUrl);
    for (const id of ['OLD1', 'NEW1']) {
      const { shifts, warnings, numbers } = await read(prismUrl, id);
      expect(warnings).toEqual([]);
      expect(shifts[0]?.length).toBeGreaterThan(400);
      expect(numbers.size).toBe(1);
    }
  });
});

describe('the simulator of PagerDuty', () => {
  it.each(['/schedules/OLD1', '/users/PU1', '/users/PU1/contact_methods'])(
    'refuses a call without the required headers: %s',
    async (path) => {
      const authorization = 'Token token=right';
      const accept = 'application/vnd.pagerduty+json;version=2';
      for (const headers of [
        { authorization, accept },
        { authorization, 'content-type': 'application/json' },
      ]) {
        const response = await fetch(`${simulator.pagerDutyUrl}${path}`, { headers });
        expect(response.status).toBe(400);
      }
    },
  );

  it('limits the calls of a minute, and states when the limit is renewed', async () => {
    const strict = await startRosterSimulator({
      feeds: {},
      pagerDuty: { token: 'right', users, scheduleIds: [], maxCallsPerMinute: 2 },
    });
    running.push({ stop: () => void strict.stop() });
    const headers = { authorization: 'Token token=right', accept: 'application/vnd.pagerduty+json;version=2' };
    const call = () =>
      fetch(`${strict.pagerDutyUrl}/users/PU1`, { headers: { ...headers, 'content-type': 'application/json' } });
    const responses = [await call(), await call(), await call()];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(Number(responses[2]?.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
  });
});

/** Starts Prism as a proxy that refuses what is not as described, and returns its address. */
async function startPrism(file: string, upstream: string): Promise<string> {
  const port = await findFreePort();
  const options = ['proxy', file, upstream, '--errors', '--port', String(port)];
  const child: ChildProcess = spawn(process.execPath, [prism ?? '', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push({ stop: () => void child.kill() });
  if (!child.stdout) throw new Error('Prism has no output');
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('Prism is listening')) return `http://127.0.0.1:${port}`;
  throw new Error('Prism has ended');
}
