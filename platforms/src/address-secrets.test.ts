/** What the clients of other systems say when an error quotes an address with its secrets. */
import { createLogger } from '@portal/kit/logger';
import { Secret } from '@portal/kit/secret';
import { toRequestTarget } from '@portal/kit/web-address';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ask } from './doctor/ask.ts';
import { createHeliumClient } from './helium/client.ts';
import { toUnreachable } from './helium-database/connection-errors.ts';
import { createJourneyClient } from './journey/client.ts';
import { fetchJiraProjects } from './projects/client.ts';
import { fetchLatestRelease } from './releases/client.ts';
import { CalendarExpander } from './roster/calendar/calendar-expander.ts';
import { createCalendarSource } from './roster/calendar/calendar-source.ts';
import { createPagerDutyAccount } from './roster/pager-duty/pager-duty-account.ts';
import { createPagerDutySource } from './roster/pager-duty/pager-duty-source.ts';

const secret = 'secret-marker';
const host = 'https://system.example';
const address = `https://reader:${secret}@system.example/private-${secret}/basic.ics?token=${secret}`;
const span = { from: new Date('2026-01-01T00:00Z'), to: new Date('2027-01-01T00:00Z') };
const photo = { kind: 'photo' } as const;
const credentials = { userName: 'reader', password: 'right' };
const expander = new CalendarExpander();

/** An error like those of `fetch`, of a pool of several addresses, and of a library in between. */
const quoting = () => {
  const inner = Object.assign(new TypeError(`Request cannot be constructed from ${address}`), { input: address });
  return new TypeError('fetch failed', { cause: new AggregateError([inner], address, { cause: inner }) });
};

const journey = (fileHosts: readonly string[] = []) =>
  createJourneyClient({
    baseUrl: `${host}/api/v4/`,
    userName: 'app',
    password: new Secret('right'),
    fileHosts,
    request: () => Promise.reject(quoting()),
  });
const helium = () => createHeliumClient({ baseUrl: host });

const clients: Readonly<Record<string, () => Promise<unknown>>> = {
  'the Helium platform': () => helium().getServiceConfig({ credentials }),
  'the apps of the Helium platform': () => helium().listApps({ credentials }),
  Journey: () => journey().info(),
  "Journey's files": () => journey().attachment(`${host}/file`, photo),
  Jira: () => fetchJiraProjects({ baseUrl: host, flavor: 'cloud', user: 'u', token: new Secret(secret) }),
  'the release repository': () =>
    fetchLatestRelease({ metadataUrl: `${host}/m.xml`, clientUrl: `${host}/c.jar`, noUiClientUrl: `${host}/n.jar` }),
  'a calendar': () =>
    createCalendarSource({ team: 'Health', address: new Secret(address), timeZone: 'UTC', expander }).read([span]),
  PagerDuty: () =>
    createPagerDutySource({
      team: 'Stock',
      account: createPagerDutyAccount({ baseUrl: host, token: new Secret(secret) }),
      scheduleId: 'P1',
      hasNumberFor: () => false,
    }).read([span]),
  'the database of a data source': () => Promise.reject(toUnreachable('helium-1', quoting())),
  'the doctor': async () => {
    const { failure } = await ask({ baseUrl: host, credentials, timeoutMs: 1_000 }, 'GET', '/');
    throw new Error(failure);
  },
};

afterEach(() => vi.unstubAllGlobals());

describe('an unknown error that quotes an address with its password and token', () => {
  it.each(Object.entries(clients))('reaches neither the message nor the log, from %s', async (_, call) => {
    vi.stubGlobal('fetch', () => Promise.reject(quoting()));
    const error = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Error)) throw new Error('expected a failure');
    expect(error.message).toMatch(/unknown error/);
    const lines: string[] = [];
    createLogger({ name: 'test', level: 'trace', destination: { write: (line) => lines.push(line) } }).error({
      err: error,
    });
    expect(lines).toHaveLength(1);
    expect(`${error.message}${lines.join('')}`).not.toMatch(new RegExp(`${secret}|basic\\.ics`));
  });
});

it('a calendar receives the credentials of its address with HTTP Basic', async () => {
  const received: unknown[] = [];
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
    received.push([url, new Headers(headers).get('authorization')]);
    return new Response('', { status: 500 });
  });
  await expect(clients['a calendar']?.()).rejects.toThrow('The calendar of Health returned status 500.');
  expect(received).toEqual([
    [`${host}/private-${secret}/basic.ics?token=${secret}`, `Basic ${btoa(`reader:${secret}`)}`],
  ]);
});

it('a release repository receives the credentials of its address, and no other host does', async () => {
  const received: unknown[] = [];
  vi.stubGlobal('fetch', async (url: string, { method, headers }: RequestInit) => {
    received.push([method, url, new Headers(headers).get('authorization')]);
    if (url.endsWith('.xml'))
      return new Response('<metadata><versioning><versions><version>1.0</version></versions></versioning></metadata>');
    return new Response(null, { status: url.endsWith('.jar') ? 200 : 404 });
  });
  const { url: metadataUrl, headers } = toRequestTarget(`https://reader:${secret}@system.example/m.xml`);
  await fetchLatestRelease({
    metadataUrl,
    headers,
    clientUrl: `${host}/{version}.jar`,
    noUiClientUrl: 'https://other.example/{version}.jar',
  });
  const basic = `Basic ${btoa(`reader:${secret}`)}`;
  const other = 'https://other.example';
  expect(received).toEqual([
    ['GET', `${host}/m.xml`, basic],
    ['HEAD', `${host}/1.0.jar`, basic],
    ['HEAD', `${other}/1.0.jar`, null],
    ['GET', `${host}/1.0.jar.sha256`, basic],
    ['GET', `${other}/1.0.jar.sha256`, null],
    ['GET', `${host}/1.0.jar.sha1`, basic],
    ['GET', `${other}/1.0.jar.sha1`, null],
  ]);
});
