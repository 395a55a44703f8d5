import { getAttention } from '@portal/contract/attention';
import { getAudit, getRecentChanges } from '@portal/contract/audit';
import { getStats } from '@portal/contract/db-spy';
import { getSession } from '@portal/contract/session';
import { getOnCall, getShiftImport, importShifts } from '@portal/contract/support-roster';
import { withBase } from '@portal/contract/sync/base';
import { getTemplate, testConnection } from '@portal/contract/sync/config';
import { maxSkippedNames } from '@portal/contract/sync/config-rules';
import { listIntegrations } from '@portal/contract/sync/integration';
import pg from 'pg';
import { startChild } from './child.ts';
import { prepareDatabase, runManyStatements } from './db-spy-data.ts';
import { count, type Figure, percentile, printFigures } from './figures.ts';
import type { LightCall, LightFigures } from './light-caller.ts';
import { startSystem } from './system.ts';

/**
 * Measures the light calls of one user while another user does the most expensive things that the
 * API allows. The peer is the same calls without the other user, in the same run.
 */
const seconds = Number(process.argv[2] ?? 10);
const auditEntries = 500_000;
const statementCount = 5_000;
const maxMs = 50;
const homePages = 40;

let dataSourceUrl = '';
const system = await startSystem({
  apps: 1,
  withSync: true,
  config: { supportRoster: { teams: [{ name: 'Support' }, { name: 'Others' }] } },
  postgresSettings: { 'pg_stat_statements.max': '20000' },
  async prepare(postgres) {
    const database = await prepareDatabase(postgres);
    dataSourceUrl = postgres.urlFor(database.dataSources[0]?.dbName ?? '');
    return database;
  },
});
try {
  await runManyStatements(dataSourceUrl, statementCount);
  await fillPortal(system.databaseUrl);
  const heavyUser = await system.signIn({ userName: 'heavy', password: 'heavy' });
  const lightUser = await system.signIn({ userName: 'light', password: 'light' });
  const app = heavyUser.apps[0];
  if (!app) throw new Error('the platform lists no app');

  const list = withBase('/sync/api/', listIntegrations);
  const calls: readonly LightCall[] = [
    { name: 'session', method: 'GET', path: getSession.path },
    { name: 'sync list', method: 'POST', path: list.path, body: { environment: 'Production' } },
    { name: 'healthz', method: 'GET', path: '/healthz' },
  ];
  const light = await startChild<string, null>('./light-caller.ts', {
    origin: system.origin,
    headers: { origin: system.origin, cookie: lightUser.cookie },
    calls,
    intervalMs: 20,
  });

  const statsRequest = { dataSource: 'helium-app-1' };
  const importRequest = { team: 'Support', csv: createCsv(12_000), replace: true };
  const testSyncConnection = withBase('/sync/api/', testConnection);
  const template = await sendForJson(withBase('/sync/api/', getTemplate), {
    uuid: app.id,
    dataSource: 'helium-app-1',
    journeyUserMode: 'user',
  });
  const configRequest = {
    config: {
      ...template,
      heliumToJourney: {
        changeLogMinVersionAsString: '0',
        changeLogSkipTables: Array.from({ length: maxSkippedNames }, () => '-n'),
      },
    },
  };
  const searchWords = 'e o a i u r s n t zebra';

  let openedHomes = 0;

  const figures: Figure[] = [];
  // The first seconds of a process are slow, and are not measured.
  await measure(async () => undefined);
  const quiet = await measure(async () => undefined);
  const homes = `${homePages} home pages opened at once`;
  const heavyWork: readonly (readonly [name: string, run: () => Promise<string>])[] = [
    ['five statistics of a whole data source at once', () => inParallel(5, () => send(getStats, statsRequest))],
    ['imports of 12,000 shifts of 12,000 people', runImport],
    ['checks of a configuration with the most invalid names', () => send(testSyncConnection, configRequest)],
    [homes, () => inParallel(homePages, openHome)],
    ['eight audit searches at once', () => inParallel(8, () => send(getAudit, { search: searchWords }))],
  ];
  for (const [name, run] of heavyWork) {
    const results = new Map<string, number>();
    const measured = await measure(async (isOver) => {
      do {
        const result = await run();
        results.set(result, (results.get(result) ?? 0) + 1);
      } while (!isOver());
    });
    for (const call of calls) {
      const [own, peer] = [measured[call.name], quiet[call.name]];
      if (!own || !peer) throw new Error(`${call.name} was not measured`);
      const p99 = percentile(own.latenciesMs, 99);
      figures.push({
        what: `\`${call.name}\` during ${name}`,
        ours: `${describe(own)}`,
        peer: describe(peer),
        ratio: p99 / percentile(peer.latenciesMs, 99),
        // Not one user, but forty who all sign in at the same moment.
        goal: name === homes ? 'none fails' : `p99 < ${maxMs} ms`,
        met: (name === homes || p99 < maxMs) && own.failed === 0,
      });
    }
    console.log(`${name}: ${[...results].map(([result, times]) => `${times} × ${result}`).join(', ')}`);
  }
  printFigures('fairness: p50, p99 and longest latency of a light call', figures);
  await light.stop();

  /** Measures for the given time, and longer if the work is not done. */
  async function measure(work: (isOver: () => boolean) => Promise<void>): Promise<Record<string, LightFigures>> {
    await light.ask(null);
    const until = performance.now() + seconds * 1000;
    const isOver = () => performance.now() >= until;
    await Promise.all([work(isOver), new Promise((resolve) => setTimeout(resolve, seconds * 1000))]);
    return light.ask<Record<string, LightFigures>>(null);
  }

  /** Sends a call of the heavy user. */
  function open({ method, path }: { readonly method: string; readonly path: string }, payload: object) {
    const isGet = method === 'GET';
    const query = isGet ? `?${new URLSearchParams(Object.entries(payload))}` : '';
    return fetch(system.origin + path + query, {
      method,
      headers: { origin: system.origin, cookie: heavyUser.cookie, 'content-type': 'application/json' },
      ...(!isGet && { body: JSON.stringify(payload) }),
    });
  }

  /** Returns the status and, of an error, its message. The response is read, but not parsed. */
  async function send(...[endpoint, payload]: Parameters<typeof open>): Promise<string> {
    const response = await open(endpoint, payload);
    let text = '';
    for await (const piece of response.body ?? []) if (!response.ok) text += Buffer.from(piece).toString();
    return response.ok ? '200' : `${response.status} ${text.slice(0, 160)}`;
  }

  /** Opens the home page in a session of its own, as another user each time. */
  async function openHome(): Promise<string> {
    openedHomes += 1;
    const name = `home-${openedHomes % homePages}`;
    const { cookie } = await system.signIn({ userName: name, password: name });
    const headers = { origin: system.origin, cookie };
    const responses = await Promise.all(
      [getSession, getAttention, getRecentChanges, getOnCall].map(({ path }) =>
        fetch(system.origin + path, { headers }).then(async (response) => ({ response, text: await response.text() })),
      ),
    );
    const failed = responses.find(({ response }) => !response.ok);
    return failed ? `${failed.response.status} ${failed.text.slice(0, 160)}` : '200';
  }

  async function runImport(): Promise<string> {
    const response = await open(importShifts, importRequest);
    if (!response.ok) return `${response.status} ${(await response.text()).slice(0, 160)}`;
    let { job = null } = importShifts.response.parse(await response.json());
    while (job?.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const next = await open(getShiftImport, { team: importRequest.team });
      job = getShiftImport.response.parse(await next.json()).job;
    }
    return job?.problem ?? '200';
  }

  async function sendForJson(...[endpoint, payload]: Parameters<typeof open>): Promise<object> {
    const response = await open(endpoint, payload);
    if (!response.ok) throw new Error(`${endpoint.path} returned ${response.status} ${await response.text()}`);
    return response.json();
  }
} finally {
  await system.stop();
}

function describe({ latenciesMs, failed }: LightFigures): string {
  const [p50, p99, max] = [50, 99, 100].map((percent) => `${count(percentile(latenciesMs, percent))} ms`);
  return `${p50}, ${p99}, ${max}${failed > 0 ? `, ${failed} of ${latenciesMs.length} failed` : ''}`;
}

async function inParallel(times: number, run: () => Promise<string>): Promise<string> {
  const results = await Promise.all(Array.from({ length: times }, run));
  const counts = [...new Set(results)].map((result) => `${results.filter((one) => one === result).length} × ${result}`);
  return counts.join(' and ');
}

/** An audit trail of some years, and the roster of another team. */
async function fillPortal(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `insert into audit_entry (at, username, environment, action, resource_kind, resource, resource_name, description,
       outcome)
     select now() - i * interval '1 minute', 'user-' || i % 500, 'Production', 'function.toggle', 'app',
       'app-' || i % 400, 'Stock Visibility ' || i % 400, 'Scheduled function number ' || i || ' enabled', 'done'
     from generate_series(1, $1) i`,
    [auditEntries],
  );
  await client.query(
    `insert into roster_shift (environment, team, name, starts_at, ends_at)
     select 'Production', 'Others', 'Person ' || i, now() + i * interval '1 hour', now() + (i + 1) * interval '1 hour'
     from generate_series(1, 12000) i`,
  );
  await client.query('analyze');
  await client.end();
}

function createCsv(lines: number): string {
  const begin = Date.UTC(2026, 0, 1);
  const toCell = (at: number) => new Date(begin + at * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  const shifts = Array.from(
    { length: lines },
    (_, at) => `Colleague ${at},+27 82 ${1_000_000 + at},${toCell(at)},${toCell(at + 1)}`,
  );
  return ['name,number,start,end', ...shifts].join('\n');
}
