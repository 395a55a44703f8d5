import { randomBytes } from 'node:crypto';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { deleteSession, getSession } from '@portal/contract/session';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import type { TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServerOptions } from '../testing/test-server.ts';

const encryptionKey = randomBytes(32).toString('hex');

let world: SmallWorld;
let alice: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({ encryptionKey });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await query('delete from session');
  alice = await world.server.signIn('demo', 'demo');
});

async function query<Row extends object>(sql: string): Promise<Row[]> {
  return (await world.server.dependencies.pool.query<Row>(sql)).rows;
}

const isSignedIn = async (client: TestClient) => (await client.attempt(getSession, undefined)).status === 200;
const tokenOf = (client: TestClient) => client.cookieHeaders.cookie?.split('=')[1] ?? '';

/** Another node of the same portal. */
async function startNode(options: Partial<TestServerOptions> = {}) {
  const { databaseUrl, dependencies } = world.server;
  const environments = dependencies.environments.all.map(({ name, baseUrl }) => ({ name, baseUrl }));
  const node = await startTestServer({ environments, databaseUrl, encryptionKey, ...options });
  onTestFinished(() => node.stop());
  const client = node.client();
  Object.assign(client.headers, alice.cookieHeaders);
  return { node, client };
}

describe('a session at rest', () => {
  it('holds neither its token nor the password in the clear', async () => {
    const rows = await query<{ row: string; credentials: Buffer }>(
      'select session::text as row, credentials from session',
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(Buffer.from(tokenOf(alice)).toString('hex'));
    expect(rows[0]?.row).not.toContain(Buffer.from(tokenOf(alice), 'base64url').toString('hex'));
    expect(rows[0]?.credentials.toString('latin1')).not.toContain('"demo"');
  });

  it('is wiped when it ends', async () => {
    await alice.call(deleteSession, undefined);
    expect(await query('select from session')).toEqual([]);
  });
});

describe('a session ends', () => {
  it('after 30 minutes without a call', async () => {
    await query("update session set last_seen_at = now() - interval '29 minutes'");
    expect(await isSignedIn(alice)).toBe(true);
    await query("update session set last_seen_at = now() - interval '31 minutes'");
    expect(await isSignedIn(alice)).toBe(false);
  });

  it('after 12 hours whatever is called', async () => {
    const [row] = await query<{ hours: number }>(
      'select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from session',
    );
    expect(row?.hours).toBeCloseTo(12);
    await query("update session set expires_at = now() - interval '1 second'");
    expect(await isSignedIn(alice)).toBe(false);
  });

  it('at the next sign-in, which has another token', async () => {
    const before = { ...alice.cookieHeaders };
    await alice.signIn('demo', 'demo', world.baseUrl);
    expect(alice.cookieHeaders).not.toEqual(before);
    const old = await world.server.client().send('GET', getSession.path, undefined, before);
    expect(old.status).toBe(401);
  });

  it('not at all for a token nobody has: guesses find nothing', async () => {
    for (const token of ['', 'x', tokenOf(alice).slice(0, -1), `${tokenOf(alice)}A`, '%00', 'é']) {
      const response = await world.server
        .client()
        .send('GET', getSession.path, undefined, { cookie: `portal=${encodeURIComponent(token)}` });
      expect(response.status).toBe(401);
    }
  });
});

describe('use', () => {
  it('is written down at most once a minute', async () => {
    const seen = () => query<{ seen: string }>('select last_seen_at::text as seen from session');
    const before = await seen();
    for (let call = 0; call < 5; call++) await isSignedIn(alice);
    expect(await seen()).toEqual(before);
    await query("update session set last_seen_at = now() - interval '2 minutes'");
    const { client } = await startNode();
    expect(await isSignedIn(client)).toBe(true);
    await expect
      .poll(() => query("select from session where last_seen_at > now() - interval '1 minute'"))
      .toHaveLength(1);
  });
});

describe('several nodes', () => {
  it('share sessions, and the end of one on another is noticed', async () => {
    const { client } = await startNode();
    expect(await isSignedIn(client)).toBe(true);
    await alice.call(deleteSession, undefined);
    expect(await isSignedIn(client)).toBe(false);
  });

  it('with another key know nobody, and say so as for any session that ended', async () => {
    const { node, client } = await startNode({ encryptionKey: randomBytes(32).toString('hex') });
    expect(await isSignedIn(client)).toBe(false);
    expect(node.logged()).toContain('another encryption key');
  });

  it('that no longer have an environment know nobody in it', async () => {
    const { client } = await startNode({ environments: [{ name: 'Other', baseUrl: 'http://127.0.0.1:1' }] });
    expect(await isSignedIn(client)).toBe(false);
  });
});

describe('a session kept in memory', () => {
  it('ends at once on the node where it is ended', async () => {
    const { client } = await startNode({ freshness: { sessionMs: 60_000, appsMs: 60_000 } });
    expect(await isSignedIn(client)).toBe(true);
    await client.call(deleteSession, undefined);
    expect(await isSignedIn(client)).toBe(false);
  });
});

describe('the list of apps', () => {
  it('is kept for a while, loaded once for many, and fresh for those who ask', async () => {
    const { client } = await startNode({ freshness: { sessionMs: 60_000, appsMs: 60_000 } });
    let asked = 0;
    world.network.decide(() => {
      asked++;
      return 'pass';
    });
    onTestFinished(() => world.network.reset());
    await Promise.all(Array.from({ length: 10 }, () => client.call(getApps, {})));
    expect(asked).toBe(1);
    await client.send('POST', getApps.path, '{}', { 'cache-control': 'no-cache' });
    expect(asked).toBe(2);
  });
});

describe('over HTTPS', () => {
  it('the cookie is the host’s alone and never sent in the clear', async () => {
    const { node } = await startNode({ publicUrl: 'https://portal.example.com' });
    const credentials = { userName: 'demo', password: 'demo' };
    const response = await node.client().attempt(getApps, { credentials, baseUrl: world.baseUrl });
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-portal=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(response.headers.get('strict-transport-security')).toContain('max-age');
    const fromHere = await node.client().send('POST', getApps.path, '{}', { origin: 'https://portal.example.com' });
    expect(fromHere.status).toBe(401);
    const fromAddress = await node.client().send('POST', getApps.path, '{}', { origin: node.url });
    expect(fromAddress.status).toBe(403);
  });
});

describe('the address of a caller', () => {
  const signInFrom = async (options: Partial<TestServerOptions>) => {
    const { node } = await startNode(options);
    const client = node.client();
    client.headers['x-forwarded-for'] = '203.0.113.9';
    await client.signIn('demo', 'demo', world.baseUrl);
    const { entries } = await client.call(getAudit, { action: 'session.sign-in' });
    return entries[0]?.address;
  };

  it('is what a trusted proxy says, and nothing a caller says', async () => {
    expect(await signInFrom({ trustedProxies: ['127.0.0.1'] })).toBe('203.0.113.9');
    expect(await signInFrom({})).toBe('127.0.0.1');
  });
});
