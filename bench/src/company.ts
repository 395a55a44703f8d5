import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { getSchedules } from '@portal/contract/deployments';
import { getSession } from '@portal/contract/session';
import { getOnCall, getRosterTeams } from '@portal/contract/support-roster';
import { withBase } from '@portal/contract/sync/base';
import { listIntegrations } from '@portal/contract/sync/integration';
import { startDemoSystem } from '@portal/e2e/demo-system';
import { startChild } from './child.ts';
import { measureCompanyPages } from './company-pages.ts';
import {
  createHomeCalls,
  keepHomeOpen,
  keepSigningIn,
  pollMs,
  readAttention,
  type Session,
  signIn,
  stopApps,
} from './company-people.ts';
import { openCompanySystem } from './company-system.ts';
import { atMost, count, type Figure, median, percentile, printFigures } from './figures.ts';
import type { LightFigures } from './light-caller.ts';

/**
 * `npm run bench -- company [MINUTES] [HOMES] [SIZE]`: the system of `npm start -- --size=company`,
 * while forty people have home open and five browse; then a data source hangs for a minute, then
 * the pages alone in Chromium. Takes seven minutes more. SIZE `small` measures the small demo.
 */
const minutes = Number(process.argv[2] ?? 5);
const homes = Number(process.argv[3] ?? 40);
const size = process.argv[4] === 'small' ? 'small' : 'company';
const browsers = 5;
const hangMs = Math.min(60_000, minutes * 60_000);

process.env.PORTAL_DEMO_SIZE = size;
const startedMs = performance.now();
const demoSystem = await startDemoSystem();
try {
  const system = openCompanySystem(demoSystem, size);
  const first = await signIn(system);
  const expected =
    size === 'company'
      ? { integrations: 300, deployments: 5_000, entries: 1_000_000 }
      : { integrations: 1, deployments: 1, entries: 1 };
  await repeat(async () => (await listAllIntegrations(first)) >= expected.integrations);
  await repeat(async () => ((await first.read(getSchedules.path)) as unknown[]).length >= expected.deployments);
  // The last that is created.
  await repeat(async () => (await system.countAuditEntries()) >= expected.entries);
  const figures: Figure[] = [atMost('first start, all data created', (performance.now() - startedMs) / 1000, 's', 180)];
  const stoppedApps = await stopApps(first);
  const sessions = [first];
  for (let more = 1; more < homes; more += 1) sessions.push(await signIn(system));

  const browser = await signIn(system);
  const light = await startChild<string, null>('./light-caller.ts', {
    origin: system.origin,
    headers: { origin: system.origin, cookie: browser.cookie },
    calls: [
      ...[getSession, getOnCall, getRosterTeams].map(({ path }) => ({ name: path, method: 'GET', path })),
      { name: 'deployments', method: 'GET', path: `${getSchedules.path}?limit=100` },
      { name: 'apps', method: 'POST', path: getApps.path, body: { baseUrl: system.platform } },
      { name: 'readyz', method: 'GET', path: '/readyz' },
    ],
    intervalMs: 1_000 / browsers,
  });
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const calls = createHomeCalls();
  const memory = [system.readResidentMb()];
  const watchMemory = setInterval(() => memory.push(system.readResidentMb()), 2_000);
  const running = [
    ...sessions.map((session, at) =>
      keepHomeOpen(session, calls, { startMs: (at / homes) * pollMs, signal: end.signal }),
    ),
    keepSigningIn(system, calls, end.signal),
  ];
  const before = {
    ...(await system.readStatements()),
    calls: await system.countPlatformCalls(),
    at: performance.now(),
  };
  await pause(minutes * 60_000);
  const after = { ...(await system.readStatements()), calls: await system.countPlatformCalls(), at: performance.now() };
  const perMinute = (change: number) => change / ((after.at - before.at) / 60_000);
  const failing = await system.readFailingApps();
  const { counts, checks } = await readAttention(first);
  const stopped = (counts['disabled-app'] ?? 0) + (counts['locked-app'] ?? 0);
  figures.push(...describeCalls(''), ...(await describeLight('')));

  await system.withHangingDataSource(() => pause(hangMs));
  const hung = await readAttention(first);
  figures.push(...describeCalls(', one data source hanging'), ...(await describeLight(', one data source hanging')));
  end.abort();
  await Promise.all(running);
  clearInterval(watchMemory);
  await light.stop();
  const oldestSecs = checks.oldest === null ? Number.NaN : (after.at - toMonotonic(checks.oldest)) / 1000;

  figures.push(
    atLeast(`failing apps that are known, of ${count(failing.all)}`, failing.shown, failing.all),
    atMost('age of the oldest of them', failing.oldestSecs, 's', 300),
    atLeast('failing functions that home counts', counts['failing-function'] ?? 0, failing.all),
    atLeast('… while one data source hangs', hung.counts['failing-function'] ?? 0, counts['failing-function'] ?? 0),
    atLeast('problems that home reports then', hung.problems.length, 1),
    atMost('age of the oldest check of any app', oldestSecs, 's', 300),
    atMost('checks that were never made', checks.missing, '', 0),
    atLeast('disabled and locked apps that home counts', stopped, stoppedApps),
    atMost('items of other apps that a person of few apps sees', await countForeignItems(), '', 0),
    atMost('statement time on the data sources for a minute', perMinute(after.ms - before.ms) / 1000, 's', 3),
    atMost('platform calls in a minute', perMinute(after.calls - before.calls), '', 450),
    {
      ...atMost('server memory', Math.max(...memory), 'MB', 300),
      ours: `${[memory[0] ?? 0, Math.max(...memory), memory.at(-1) ?? 0].map(count).join(' → ')} MB (start, most, end)`,
    },
    await measureAuditSearch(first),
    ...(await measureCompanyPages(system.origin, 3).catch((error) => [describeFailure('pages in Chromium', error)])),
  );
  if (after.evicted > before.evicted)
    console.log(
      `pg_stat_statements evicted statements ${after.evicted - before.evicted} times: the time is too short.`,
    );
  printFigures(`company: ${homes} homes and ${browsers} browsers for ${minutes} minutes`, figures);

  /** Describes the calls since the last time. */
  function describeCalls(when: string): Figure[] {
    const { attention, onCall, changes, signIns } = calls;
    const all = [attention, onCall, changes];
    const failed = all.reduce((sum, each) => sum + each.failed, 0);
    const made = all.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0);
    const rows = [
      atMost(`home: needs attention, p95${when}`, percentile(attention.latenciesMs, 95), 'ms', 200),
      atMost(`home: on call, p95${when}`, percentile(onCall.latenciesMs, 95), 'ms', 200),
      atMost(`home: recent changes, p95${when}`, percentile(changes.latenciesMs, 95), 'ms', 200),
      atMost(`home, failures of ${count(made)}${when}`, failed, '', 0),
      atMost(`signing in, p50${when}`, percentile(signIns.latenciesMs, 50), 'ms', 100),
      atMost(`signing in, failures of ${count(signIns.latenciesMs.length)}${when}`, signIns.failed, '', 0),
    ];
    Object.assign(calls, createHomeCalls());
    return rows;
  }

  async function describeLight(when: string): Promise<Figure[]> {
    const { readyz, ...others } = await light.ask<Record<string, LightFigures>>(null);
    const latenciesMs = Object.values(others).flatMap((each) => each.latenciesMs);
    const failed = Object.values(others).reduce((sum, each) => sum + each.failed, 0);
    return [
      atMost(`light calls of others, p99${when}`, percentile(latenciesMs, 99), 'ms', 100),
      atMost(`light calls of others, failures of ${count(latenciesMs.length)}${when}`, failed, '', 0),
      atMost(
        `/readyz, other than 200, of ${count(readyz?.latenciesMs.length ?? 0)}${when}`,
        readyz?.failed ?? 0,
        '',
        0,
      ),
    ];
  }

  /** Counts what home shows of apps that the platform does not list for the user. */
  async function countForeignItems(): Promise<number> {
    const session = await signIn(system, { userName: 'health.dev', password: 'health' });
    const { items, counts } = await readAttention(session);
    const ids = new Set(session.apps.map(({ id }) => id));
    const foreign = items.filter(({ kind, route }) => kind.endsWith('-app') && !ids.has(route.split('/').at(-1) ?? ''));
    const stopped = (counts['disabled-app'] ?? 0) + (counts['locked-app'] ?? 0);
    return Math.max(foreign.length, size === 'company' ? stopped : 0);
  }
} finally {
  await demoSystem.stop();
}

/** The slowest of some searches, of five rounds each. */
async function measureAuditSearch(session: Session): Promise<Figure> {
  const what = 'audit search at 1,000,000 entries, the slowest filter';
  const queries = ['search=zebra', 'search=enabled', 'username=user-7', 'outcome=failed', 'action=functions.toggle'];
  const medians: number[] = [];
  for (const query of queries) {
    const latenciesMs: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const from = performance.now();
      try {
        await session.read(`${getAudit.path}?${query}`);
      } catch (error) {
        return describeFailure(what, error);
      }
      latenciesMs.push(performance.now() - from);
    }
    medians.push(median(latenciesMs));
  }
  return atMost(what, Math.max(...medians), 'ms', 100);
}

/** The other figures are printed all the same. */
function describeFailure(what: string, error: unknown): Figure {
  const [headline = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return { what, ours: headline, met: false };
}

function atLeast(what: string, value: number, goal: number): Figure {
  return { what, ours: count(value), goal: `≥ ${count(goal)}`, met: value >= goal };
}

/** Returns the ISO instant on the clock of `performance.now`. */
function toMonotonic(instant: string): number {
  return Date.parse(instant) - performance.timeOrigin;
}

async function listAllIntegrations(session: Session): Promise<number> {
  const integrations = await session.read(withBase('/sync/api/', listIntegrations).path, { environment: 'Production' });
  return Array.isArray(integrations) ? integrations.length : 0;
}

async function repeat(isDone: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 300_000;
  while (!(await isDone())) {
    if (performance.now() > endMs) throw new Error('It did not happen within five minutes.');
    await pause(1_000);
  }
}
