import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { getSession } from '@portal/contract/session';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestResponse } from '../../testing/test-client.ts';

const home = '203.0.113.13';
const elsewhere = '203.0.113.66';
const people = [
  ['demo', 'demo'],
  ['health.dev', 'health'],
  ['farm.dev', 'farm'],
  ['viewer', 'viewer'],
] as const;

let world: SmallWorld;
/** Sign-ins that reached the platform. */
let asked: number;

beforeAll(async () => {
  world = await startSmallWorld({ trustedProxies: ['127.0.0.1'], roles: [{ role: 'admin', users: ['demo'] }] });
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.helium.faults.clear();
  await query('delete from sign_in_failures');
  asked = 0;
  world.network.decide(() => {
    asked++;
    return 'pass';
  });
});

async function query<Row extends object>(sql: string): Promise<Row[]> {
  return (await world.server.dependencies.pool.query<Row>(sql)).rows;
}

/** Has the same effect on delays as waiting. */
const letSecondsPass = (seconds: number) =>
  query(`update sign_in_failures set last_failed_at = last_failed_at - interval '${seconds} seconds'`);

interface From {
  readonly address?: string;
  /** Cookies of the browser. */
  readonly cookie?: string;
}

function attempt(userName: string, password: string, { address = home, cookie }: From = {}): Promise<TestResponse> {
  const client = world.server.client();
  client.headers['x-forwarded-for'] = address;
  if (cookie !== undefined) client.headers.cookie = cookie;
  return client.attempt(getApps, { credentials: { userName, password }, baseUrl: world.baseUrl });
}

/** Has the effect of ten failures, a delay of 30 s: a slow test must not wait out a shorter one. */
const lengthenDelays = () => query('update sign_in_failures set failures = 10 where failures = 5');

async function failOften(userName: string, from?: From): Promise<void> {
  expect(await attemptEach(userName, guesses(5), from)).toEqual([401, 401, 401, 401, 401]);
  await lengthenDelays();
}

async function attemptEach(userName: string, passwords: readonly string[], from?: From): Promise<number[]> {
  const statuses: number[] = [];
  for (const password of passwords) statuses.push((await attempt(userName, password, from)).status);
  return statuses;
}

const guesses = (count: number) => Array.from({ length: count }, (_, index) => `guess ${index}`);
const getRetryAfter = ({ headers }: TestResponse) => Number(headers.get('retry-after'));

/** Returns the cookies that a browser sends after this response. */
const getCookies = ({ headers }: TestResponse) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
const getDeviceCookie = (response: TestResponse) => /portal-device=[\w-]+/.exec(getCookies(response))?.[0] ?? '';

/** Returns the statuses with their number: "150 times 200, 50 times 429". */
function summarize(responses: readonly TestResponse[]): string {
  const statuses = responses.map(({ status }) => status);
  return [...new Set(statuses)]
    .map((one) => `${statuses.filter((other) => other === one).length} times ${one}`)
    .join(', ');
}

describe('correct passwords', () => {
  it('are accepted when 200 sign-ins of several users arrive at once, even while the platform is slow', async () => {
    world.helium.faults.set({ mode: 'delay', delayMs: 300 });
    const attempts = Array.from({ length: 50 }, () => people)
      .flat()
      .map(([userName, password]) => attempt(userName, password));
    expect(summarize(await Promise.all(attempts))).toBe('200 times 200');
  });

  it('are accepted when 200 sign-ins of one user arrive at once, each with a session of its own', async () => {
    const responses = await Promise.all(Array.from({ length: 200 }, () => attempt('demo', 'demo')));
    expect(summarize(responses)).toBe('200 times 200');
    expect(new Set(responses.map(({ headers }) => headers.getSetCookie()[0])).size).toBe(200);
  });

  it('are accepted after 12 wrong guesses for the same user from another address', async () => {
    await attemptEach(' Farm.Dev ', guesses(12), { address: elsewhere });
    expect((await attempt('farm.dev', 'farm')).status).toBe(200);
  });

  it('are accepted after 120 sign-ins with wrong names from the same address', async () => {
    for (let index = 0; index < 120; index++) expect((await attempt(`user-${index}`, 'x')).status).toBe(401);
    for (const [userName, password] of people) expect((await attempt(userName, password)).status).toBe(200);
  });

  it('are not counted', async () => {
    for (const [userName, password] of people) await attempt(userName, password);
    expect(await query('select from sign_in_failures')).toEqual([]);
  });

  it('are not counted while the platform is unreachable', async () => {
    world.network.decide(() => 'cut');
    expect(await attemptEach('demo', Array(8).fill('demo'))).toEqual(Array(8).fill(502));
    expect(await query('select from sign_in_failures')).toEqual([]);
  });

  it('reset the delay of their user', async () => {
    expect(await attemptEach('demo', [...guesses(4), 'demo', ...guesses(4), 'demo'])).toEqual([
      ...[401, 401, 401, 401, 200],
      ...[401, 401, 401, 401, 200],
    ]);
  });
});

describe('wrong passwords', () => {
  it('delay the next attempt from the fifth on, by 30 s at most', async () => {
    await failOften('demo');
    const refusal = await attempt('demo', 'demo');
    expect(refusal.status).toBe(429);
    expect(getRetryAfter(refusal)).toBeGreaterThan(0);
    expect(getRetryAfter(refusal)).toBeLessThanOrEqual(30);
    await letSecondsPass(30);
    expect((await attempt('demo', 'demo')).status).toBe(200);
  });

  it('are not counted and not sent to the platform while the user has to wait', async () => {
    await failOften('demo');
    const counted = await query('select * from sign_in_failures order by subject');
    expect(await attemptEach('demo', guesses(20))).toEqual(Array(20).fill(429));
    expect(await query('select * from sign_in_failures order by subject')).toEqual(counted);
    expect(asked).toBe(5);
  });

  it('are refused with the same message for users that do not exist, and for other spellings of a name', async () => {
    for (const userName of ['demo', 'unknown']) {
      await failOften(userName);
      const refusal = await attempt(` ${userName.toUpperCase()} `, 'x');
      expect(refusal.status).toBe(429);
      expect(parseProblem(refusal).message).toMatch(/^Too many sign-in attempts\. Try again in \d+ s\.$/);
    }
  });

  it('gain little from arriving in parallel', async () => {
    const responses = await Promise.all(guesses(12).map((guess) => attempt('demo', guess)));
    // One after the other, five. Four run at the same time, so three more may start before the
    // fifth has failed; a ninth has to wait for 8 s and a tenth for another 16 s.
    expect(asked).toBeLessThan(10);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(asked);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(12 - asked);
  });

  it('are counted with HTTP Basic as well', async () => {
    const script = world.server.client();
    script.headers.authorization = `Basic ${btoa('demo:wrong')}`;
    for (let call = 0; call < 5; call++) expect((await script.attempt(getSession, undefined)).status).toBe(401);
    await lengthenDelays();
    expect((await script.attempt(getSession, undefined)).status).toBe(429);
  });

  it('stop counting when the window has ended', async () => {
    await failOften('demo');
    expect((await attempt('demo', 'demo')).status).toBe(429);
    await query("update sign_in_failures set window_ends_at = now() - interval '1 second'");
    expect((await attempt('demo', 'demo')).status).toBe(200);
  });

  it('are counted together for all addresses of an IPv6 network, and apart for another network', async () => {
    await failOften('demo', { address: '2001:db8:1:2::5' });
    expect((await attempt('demo', 'demo', { address: '2001:db8:1:2:ffff::9' })).status).toBe(429);
    expect((await attempt('demo', 'demo', { address: '2001:db8:1:3::5' })).status).toBe(200);
  });

  it('delay a user earlier if their address has 100 failures', async () => {
    for (let index = 0; index < 100; index++) await attempt(`user-${index}`, 'x');
    for (const guess of guesses(4)) {
      await letSecondsPass(30);
      expect((await attempt('demo', guess)).status).toBe(401);
    }
    expect((await attempt('demo', 'demo')).status).toBe(429);
    await letSecondsPass(30);
    expect((await attempt('demo', 'demo')).status).toBe(200);
    const warnings = world.server
      .logged()
      .split('\n')
      .filter((line) => line.includes('sign-ins from one address failed'));
    expect(warnings).not.toEqual([]);
  });
});

describe('browsers that signed in before', () => {
  it('are not delayed by guesses for their user from the same address', async () => {
    const cookie = getDeviceCookie(await attempt('demo', 'demo'));
    await failOften('demo');
    expect((await attempt('demo', 'demo')).status).toBe(429);
    expect((await attempt('demo', 'demo', { cookie })).status).toBe(200);
  });

  it('are not delayed by 120 sign-ins with wrong names from the same address', async () => {
    const cookie = getDeviceCookie(await attempt('demo', 'demo'));
    for (let index = 0; index < 120; index++) await attempt(`user-${index}`, 'x');
    expect(await attemptEach('demo', ['x', 'demo'], { cookie })).toEqual([401, 200]);
  });

  it('have a delay of their own, wherever they are', async () => {
    const cookie = getDeviceCookie(await attempt('demo', 'demo'));
    await failOften('demo', { cookie });
    expect((await attempt('demo', 'demo', { cookie, address: elsewhere })).status).toBe(429);
    expect((await attempt('demo', 'demo')).status).toBe(200);
  });

  it('are strangers for users who never signed in there', async () => {
    const cookie = getDeviceCookie(await attempt('farm.dev', 'farm'));
    await failOften('demo');
    expect((await attempt('demo', 'demo', { cookie })).status).toBe(429);
  });

  it('keep one token for all their users and through sign-outs', async () => {
    const first = getDeviceCookie(await attempt('demo', 'demo'));
    const second = getDeviceCookie(await attempt('farm.dev', 'farm', { cookie: first }));
    expect(second).toBe(first);
    await failOften('demo');
    await failOften('farm.dev');
    expect((await attempt('demo', 'demo', { cookie: first })).status).toBe(200);
    expect((await attempt('farm.dev', 'farm', { cookie: first })).status).toBe(200);
  });

  it('get a token that scripts cannot read, and of which only the hash is stored', async () => {
    const response = await attempt('demo', 'demo');
    const [, cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^portal-device=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/);
    const token = cookie.slice('portal-device='.length).split(';')[0] ?? '';
    const rows = await query<{ row: string }>('select sign_in_device::text as row from sign_in_device');
    for (const { row } of rows) {
      expect(row).not.toContain(Buffer.from(token).toString('hex'));
      expect(row).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
    }
  });

  it('get a new token instead of one that the portal did not issue', async () => {
    const chosen = `portal-device=${'a'.repeat(43)}`;
    const given = getDeviceCookie(await attempt('demo', 'demo', { cookie: chosen }));
    expect(given).not.toBe(chosen);
    await failOften('demo', { cookie: chosen });
    expect((await attempt('demo', 'demo', { cookie: chosen })).status).toBe(429);
    expect((await attempt('demo', 'demo', { cookie: given })).status).toBe(200);
  });

  it('are removed after 180 days without a sign-in, or when their user has 50 newer ones', async () => {
    const { devices } = world.server.dependencies;
    const environment = 'Production';
    await query('delete from sign_in_device');
    const oldest = getDeviceCookie(await attempt('demo', 'demo'));
    const [row] = await query<{ days: number }>(
      'select extract(epoch from expires_at - now())::float8 / 86400 as days from sign_in_device',
    );
    expect(row?.days).toBeCloseTo(180, 1);
    const isKnown = async () => {
      await devices.removeExpired();
      return devices.isKnown(oldest.split('=')[1] ?? '', environment, 'demo');
    };
    for (let index = 1; index < 50; index++) await devices.remember(undefined, environment, 'demo');
    expect(await isKnown()).toBe(true);
    await devices.remember(undefined, environment, 'demo');
    expect(await isKnown()).toBe(false);
    await query("update sign_in_device set expires_at = now() - interval '1 second'");
    await devices.removeExpired();
    expect(await query('select from sign_in_device')).toEqual([]);
  });
});

describe('audit trail of sign-ins', () => {
  // The tests above have used up the entries of other addresses.
  const address = '203.0.113.99';
  const readEntries = async (username: string) => {
    const client = await world.server.signIn('demo', 'demo');
    return (await client.call(getAudit, { username })).entries;
  };

  it('records who failed to sign in, from where and why', async () => {
    await attempt('mallory', 'x', { address });
    const [entry] = await readEntries('mallory');
    expect(entry).toMatchObject({
      action: 'session.sign-in',
      outcome: 'refused',
      address,
      reason: 'Either the username or password is incorrect',
    });
  });

  it('does not record attempts that had to wait, so that strangers cannot fill it', async () => {
    await failOften('trudy', { address });
    expect(await attemptEach('trudy', guesses(4), { address })).toEqual([429, 429, 429, 429]);
    expect(await readEntries('trudy')).toMatchObject([{ attempts: 5 }]);
  });
});

describe('sign-in validation', () => {
  it('requires the user name, then the password, then a known environment, before the platform is asked', async () => {
    expect(parseProblem(await attempt(' ', '')).message).toBe('Please enter your Helium API username');
    expect(parseProblem(await attempt('demo', '')).message).toBe('Please enter your Helium API password');
    const credentials = { userName: 'demo', password: 'demo' };
    for (const baseUrl of ['http://127.0.0.1:9', 'file:///etc/passwd', '', `${world.baseUrl}.evil.example`]) {
      const response = await world.server.client().attempt(getApps, { credentials, baseUrl });
      expect(response.status).toBe(400);
    }
    expect(asked).toBe(0);
  });
});
