import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getApps } from '@portal/contract/apps';
import { getAttention } from '@portal/contract/attention';
import { getRecentChanges } from '@portal/contract/audit';
import { getSchedules } from '@portal/contract/deployments';
import { getOnCall } from '@portal/contract/support-roster';
import { withBase } from '@portal/contract/sync-base';
import { listIntegrations } from '@portal/contract/sync-integration';
import { startDemoSystem } from '@portal/e2e/demo-system';
import { withClient } from '@portal/kit/postgres/pool';
import { count, type Figure, percentile, printFigures } from './figures.ts';

/**
 * `npm run bench -- company [MINUTES]`: the system of `npm start -- --size=company`, while forty
 * people have home open and five browse. There is no peer.
 */
const minutes = Number(process.argv[2] ?? 6);
const homes = 40;
const browsers = 5;
/** An open home asks again this often. */
const pollMs = 60_000;
const failingApps = 118;

interface Calls {
  readonly latenciesMs: number[];
  failed: number;
}

process.env.PORTAL_DEMO_SIZE = 'company';
const startedMs = performance.now();
const system = await startDemoSystem();
try {
  const origin = `http://127.0.0.1:${system.port}`;
  const platform = readPlatformAddress();
  const first = await signIn(origin, platform);
  await repeat(async () => (await listAll(first)) >= 300);
  await repeat(async () => ((await first.read(getSchedules.path)) as unknown[]).length >= 5_000);
  const figures: Figure[] = [atMost('first start, all data created', (performance.now() - startedMs) / 1000, 's', 180)];
  const sessions = [first];
  for (let more = 1; more < homes + browsers; more += 1) sessions.push(await signIn(origin, platform));

  const [home, light] = [createCalls(), createCalls()];
  const end = new AbortController();
  const before = {
    calls: await countPlatformCalls(platform),
    statementMs: await readStatementMs(),
    atMs: performance.now(),
  };
  const running = [
    ...sessions.slice(0, homes).map((session, at) => pollHome(session, home, at, end.signal)),
    ...sessions.slice(homes).map((session) => browse(session, light, end.signal)),
  ];
  await pause(minutes * 60_000);
  const after = {
    calls: await countPlatformCalls(platform),
    statementMs: await readStatementMs(),
    atMs: performance.now(),
  };
  const { counts } = getAttention.response.parse(await first.read(getAttention.path));
  end.abort();
  await Promise.all(running);
  const perMinute = (change: number) => change / ((after.atMs - before.atMs) / 60_000);
  const shown = counts['failing-function'] ?? 0;
  printFigures(`company: ${homes} homes and ${browsers} browsers for ${minutes} minutes`, [
    ...figures,
    atMost('home, p95', percentile(home.latenciesMs, 95), 'ms', 200),
    atMost(`home, failures of ${count(home.latenciesMs.length)}`, home.failed, '', 0),
    atMost('light calls of others, p99', percentile(light.latenciesMs, 99), 'ms', 100),
    atMost(`light calls, failures of ${count(light.latenciesMs.length)}`, light.failed, '', 0),
    {
      what: 'failing functions that home counts',
      ours: count(shown),
      goal: `≥ ${failingApps}`,
      met: shown >= failingApps,
    },
    atMost(
      'statement time on the data sources for a minute',
      perMinute(after.statementMs - before.statementMs) / 1000,
      's',
      3,
    ),
    atMost('platform calls in a minute', perMinute(after.calls - before.calls), '', 450),
  ]);
} finally {
  await system.stop();
}

function atMost(what: string, value: number, unit: string, goal: number): Figure {
  return { what, ours: `${count(value)} ${unit}`, goal: `≤ ${count(goal)} ${unit}`, met: value <= goal };
}

function createCalls(): Calls {
  return { latenciesMs: [], failed: 0 };
}

interface Session {
  /** With a body, posts it. */
  read(path: string, body?: object): Promise<unknown>;
}

async function signIn(origin: string, baseUrl: string): Promise<Session> {
  const response = await fetch(`${origin}${getApps.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ credentials: { userName: 'demo', password: 'demo' }, baseUrl }),
  });
  if (!response.ok) throw new Error(`sign-in returned ${response.status} ${await response.text()}`);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return {
    async read(path, body) {
      const answer = await fetch(`${origin}${path}`, {
        headers: { cookie, origin, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${path} returned ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
  };
}

/** The three calls of an open home, all homes spread over a minute. */
async function pollHome(session: Session, calls: Calls, at: number, signal: AbortSignal): Promise<void> {
  await rest((at / homes) * pollMs, signal);
  while (!signal.aborted) {
    const paths = [getAttention.path, getOnCall.path, getRecentChanges.path];
    await Promise.all(paths.map((path) => measure(session, path, calls)));
    await rest(pollMs, signal);
  }
}

async function browse(session: Session, calls: Calls, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const path of ['/portal-backend/api/session', `${getSchedules.path}?limit=100`])
      await measure(session, path, calls);
    await rest(500, signal);
  }
}

async function measure(session: Session, path: string, calls: Calls): Promise<void> {
  const from = performance.now();
  try {
    await session.read(path);
  } catch {
    calls.failed += 1;
  }
  calls.latenciesMs.push(performance.now() - from);
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}

async function listAll(session: Session): Promise<number> {
  const integrations = await session.read(withBase('/sync/api/', listIntegrations).path, { environment: 'Production' });
  return Array.isArray(integrations) ? integrations.length : 0;
}

async function repeat(isDone: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 900_000;
  while (!(await isDone())) {
    if (performance.now() > endMs) throw new Error('It did not happen within fifteen minutes.');
    await pause(1_000);
  }
}

function readPlatformAddress(): string {
  const ports = JSON.parse(readFileSync(join(system.stateDir, 'helium-ports.json'), 'utf8'));
  return `http://127.0.0.1:${ports.Production}`;
}

async function countPlatformCalls(platform: string): Promise<number> {
  const response = await fetch(`${platform}/simulator/calls`);
  const { calls }: { calls: number } = await response.json();
  return calls;
}

/** The time of all statements of the portal on Production's data sources so far. */
async function readStatementMs(): Promise<number> {
  const password = readFileSync(join(system.stateDir, 'postgres', 'password'), 'utf8').trim();
  const { postgres: port } = JSON.parse(readFileSync(join(system.stateDir, 'ports.json'), 'utf8'));
  const connectionString = `postgres://postgres:${password}@127.0.0.1:${port}/production_helium_app_1`;
  return withClient({ connectionString }, async (client) => {
    const { rows } = await client.query<{ ms: number }>(
      `select coalesce(sum(total_exec_time), 0)::float8 as ms from pg_stat_statements s join pg_database d on d.oid = s.dbid
       where d.datname like 'production_helium_app_%' and s.query like '%/* portal */%'`,
    );
    return rows[0]?.ms ?? 0;
  });
}
