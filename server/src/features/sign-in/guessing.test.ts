import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { getSession } from '@portal/contract/session';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem } from '../../testing/test-client.ts';

let world: SmallWorld;

beforeAll(async () => {
  world = await startSmallWorld({ signIn: { failuresPerUser: 3, failuresPerAddress: 8, windowMins: 15 } });
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.network.reset();
  await world.server.dependencies.pool.query('delete from sign_in_failures');
});

const attempt = (userName: string, password: string) =>
  world.server.client().attempt(getApps, { credentials: { userName, password }, baseUrl: world.baseUrl });

async function statusesOf(userName: string, passwords: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const password of passwords) statuses.push((await attempt(userName, password)).status);
  return statuses;
}

describe('password guessing', () => {
  it('limits attempts for one user, with the same message for users that do not exist', async () => {
    expect(await statusesOf('demo', ['a', 'b', 'c', 'd', 'demo'])).toEqual([401, 401, 401, 429, 429]);
    const demo = await attempt('DEMO ', 'e');
    const unknown = await statusesOf('unknown', ['a', 'b', 'c']).then(() => attempt('unknown', 'd'));
    expect(parseProblem(demo).message).toBe(parseProblem(unknown).message);
    expect(Number(demo.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('limits attempts for many users from one address', async () => {
    for (let user = 0; user < 8; user++) expect((await attempt(`user-${user}`, 'x')).status).toBe(401);
    expect((await attempt('demo', 'demo')).status).toBe(429);
  });

  it('parallel attempts gain nothing', async () => {
    let requests = 0;
    world.network.decide(() => {
      requests++;
      return 'pass';
    });
    const responses = await Promise.all(Array.from({ length: 12 }, (_, index) => attempt('demo', `guess ${index}`)));
    expect(requests).toBe(3);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(9);
  });

  it('attempts with HTTP Basic count as well', async () => {
    const script = world.server.client();
    script.headers.authorization = `Basic ${btoa('demo:wrong')}`;
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await script.attempt(getSession, undefined)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });
});

describe('attempts that do not count', () => {
  it('successful sign-ins and attempts on an unreachable platform do not count', async () => {
    expect(await statusesOf('demo', ['a', 'b', 'demo', 'a', 'b', 'demo', 'demo', 'demo', 'demo'])).toEqual([
      401, 401, 200, 401, 401, 200, 200, 200, 200,
    ]);
    world.network.decide(() => 'cut');
    expect(await statusesOf('health.dev', ['x', 'x', 'x', 'x', 'x'])).toEqual([502, 502, 502, 502, 502]);
  });

  it('failures stop counting when the window has ended', async () => {
    await statusesOf('demo', ['a', 'b', 'c', 'd']);
    await world.server.dependencies.pool.query(
      "update sign_in_failures set window_ends_at = now() - interval '1 second'",
    );
    expect((await attempt('demo', 'demo')).status).toBe(200);
  });
});

describe('audit trail of sign-ins', () => {
  it('records who failed to sign in, from where and why', async () => {
    await attempt('mallory', 'x');
    const client = await world.server.signIn('demo', 'demo');
    const { entries } = await client.call(getAudit, { username: 'mallory' });
    expect(entries[0]).toMatchObject({
      action: 'session.sign-in',
      outcome: 'refused',
      address: '127.0.0.1',
      reason: 'Either the username or password is incorrect',
    });
  });
});

describe('sign-in validation', () => {
  it('requires the user name, then the password, then a known environment, before the platform is asked', async () => {
    let requests = 0;
    world.network.decide(() => {
      requests++;
      return 'pass';
    });
    expect(parseProblem(await attempt(' ', '')).message).toBe('Please enter your Helium API username');
    expect(parseProblem(await attempt('demo', '')).message).toBe('Please enter your Helium API password');
    const credentials = { userName: 'demo', password: 'demo' };
    for (const baseUrl of ['http://127.0.0.1:9', 'file:///etc/passwd', '', `${world.baseUrl}.evil.example`]) {
      const response = await world.server.client().attempt(getApps, { credentials, baseUrl });
      expect(response.status).toBe(400);
    }
    expect(requests).toBe(0);
  });
});
