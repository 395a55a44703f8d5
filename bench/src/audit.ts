import { countAudit, getAudit, getRecentChanges } from '@portal/contract/audit';
import { createPool, type Pool, withClient } from '@portal/kit/postgres/pool';
import { listRecentChanges } from '@portal/server/audit/audit.store';
import { type AuditFilter, searchEntries } from '@portal/server/audit/audit-search.store';
import { findLastChanges } from '@portal/server/features/app-config/config-history.store';
import type pg from 'pg';
import { count, type Figure, median, percentile, printFigures } from './figures.ts';
import { startSystem } from './system.ts';

/**
 * `npm run bench -- audit [ENTRIES] [ROUNDS]`: the first page of the audit trail of a year, through
 * the server for an administrator, as the server searches it for a person without roles, and the
 * statements of home and undo alone. The peer is the count of all entries, which
 * reads each of them.
 */
const [entries = 10_000_000, rounds = 9] = process.argv.slice(2).map(Number);
const days = 365;
const apps = 400;
const maxPageMs = 100;
const maxStatementMs = 1;
const noSession = '00000000-0000-4000-8000-999999999999';

const system = await startSystem({
  apps,
  // Without roles, the user would see only the entries of the apps.
  config: { roles: [{ role: 'admin', users: 'everyone' }] },
  postgresSettings: { shared_buffers: '1GB', max_wal_size: '8GB', maintenance_work_mem: '1GB' },
});
try {
  const { cookie, apps: listed } = await system.signIn();
  const appIds = listed.map(({ id }) => id);
  const filledMs = await time(() =>
    withClient({ connectionString: system.databaseUrl }, (client) => fill(client, appIds)),
  );
  console.log(`${count(entries)} entries were written in ${count(filledMs / 1000)} s.`);
  const open = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await fetch(`${system.origin}${path}?${new URLSearchParams(query)}`, { headers: { cookie } });
    if (!response.ok) throw new Error(`${path} returned ${response.status} ${await response.text()}`);
    return response.text();
  };
  const ago = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  const day = { from: ago(300), to: ago(299) };
  const { next } = getAudit.response.parse(JSON.parse(await open(getAudit.path, day)));
  const pages: readonly (readonly [what: string, query: AuditFilter & Readonly<Record<string, string>>])[] = [
    ['without a filter', {}],
    ['a frequent word', { search: 'scheduled' }],
    ['a word of every 100th entry', { search: 'hundredth' }],
    ['a word of ten entries', { search: 'needle' }],
    ['a word that is nowhere', { search: 'zebra' }],
    ['two words, one of them frequent', { search: 'scheduled needle' }],
    ['a user', { username: 'user-7' }],
    ['a user who is nowhere', { username: 'user-x' }],
    ['an action', { action: 'sync.reveal-password' }],
    ['the outcome failed', { outcome: 'failed' }],
    ['the outcome refused', { outcome: 'refused' }],
    ['a day long ago', day],
    ['a user on a day long ago', { ...day, username: 'user-7' }],
    ['a word on a day long ago', { ...day, search: 'hundredth' }],
    ['the page after one of a day long ago', next === null ? {} : { after: next }],
  ];
  // The first calls of a process are slow, and are not measured.
  for (let call = 0; call < 50; call += 1) await open(getAudit.path);
  const peer = await time(() => open(countAudit.path));
  const figures: Figure[] = [];
  for (const [what, query] of pages)
    figures.push(await measure(`first page: ${what}`, maxPageMs, () => open(getAudit.path, query)));
  figures.push(await measure('recent changes, through the server', maxPageMs, () => open(getRecentChanges.path)));
  const pool = createPool(system.databaseUrl, { applicationName: 'audit benchmark', max: 1 });
  for (const some of [appIds, appIds.slice(0, 3)]) {
    const visible = { username: 'user-x', appIds: some };
    for (const [what, filter] of pages)
      figures.push(
        await measure(`search of a person of ${count(some.length)} apps without roles: ${what}`, maxPageMs, () =>
          searchEntries(pool, 'Production', { ...filter, visible }, 100),
        ),
      );
  }
  figures.push(...(await measureStatements(pool, appIds)));
  await pool.end();
  printFigures(`audit: ${count(entries)} entries of a year, p50 and longest of ${rounds} rounds`, figures);

  async function measureStatements(pool: Pool, appIds: readonly string[]): Promise<Figure[]> {
    const [environment, limit, appId = ''] = ['Production', 8, appIds[7]];
    const ofApps = (some: readonly string[]) => ({ username: 'user-x', appIds: some });
    const { rows } = await pool.query<{ id: string }>(
      `select session_id as id from audit_entry
       where resource_kind = 'app' and resource = $1 and session_id is not null limit 1`,
      [appId],
    );
    const statements: readonly (readonly [what: string, run: () => Promise<unknown>])[] = [
      ['recent changes of all apps', () => listRecentChanges(pool, environment, { limit, visible: null })],
      [
        `recent changes of a person of ${count(appIds.length)} apps without roles`,
        () => listRecentChanges(pool, environment, { limit, visible: ofApps(appIds) }),
      ],
      [
        'recent changes of a person of 3 apps without roles',
        () => listRecentChanges(pool, environment, { limit, visible: ofApps(appIds.slice(0, 3)) }),
      ],
      [
        'the change that undo reverts',
        () => findLastChanges(pool, { environment, appId, sessionId: rows[0]?.id ?? null }),
      ],
      ['… in a session without changes', () => findLastChanges(pool, { environment, appId, sessionId: noSession })],
    ];
    const measured: Figure[] = [];
    for (const [what, run] of statements) measured.push(await measure(`statement: ${what}`, maxStatementMs, run));
    return measured;
  }

  async function measure(what: string, maxMs: number, run: () => Promise<unknown>): Promise<Figure> {
    const times: number[] = [];
    // A connection plans a named statement five times before it keeps a plan.
    for (let call = 0; call < 6; call += 1) await run();
    for (let round = 0; round < rounds; round += 1) times.push(await time(run));
    return {
      what,
      ours: `${count(median(times))} ms, ${count(percentile(times, 100))} ms`,
      peer: `${count(peer)} ms`,
      ratio: median(times) / peer,
      goal: `p50 ≤ ${maxMs} ms`,
      met: median(times) <= maxMs,
    };
  }
} finally {
  await system.stop();
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/** Fills a year of months as the portal would have created them; indexes are created afterwards. */
async function fill(client: pg.Client, appIds: readonly string[]): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; sql: string }>(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as sql
     from pg_indexes where tablename = 'audit_entry' and indexname <> 'audit_entry_pkey'`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  // In the transaction that creates their table, rows are not written to the log too.
  await client.query('begin');
  await client.query(`do $$ declare month timestamptz; begin
    for month in select generate_series(date_trunc('month', now()) - interval '13 months', now() - interval '1 month', '1 month') loop
      execute format('create table %I partition of audit_entry for values from (%L) to (%L)',
        'audit_entry_' || to_char(month, 'YYYY_MM'), month, month + interval '1 month');
    end loop; end $$`);
  const insertedMs = await time(() =>
    client.query(
      `insert into audit_entry (at, username, environment, session_id, action, resource_kind, resource, resource_name,
         description, before, after, outcome, reason)
       select now() - interval '${days} days' * (($1::int - i)::float8 / $1), 'user-' || i % 500, 'Production',
         case when i % 20 = 1 then ('00000000-0000-4000-8000-' || to_char(i % 5000, 'FM000000000000'))::uuid end,
         case when i % 50000 = 2 then 'sync.reveal-password' when i % 60 = 1 then 'functions.toggle'
           when i % 20 = 1 then 'config.add-entry-point' else 'sync.save-config' end,
         'app', ($2::text[])[1 + i / 20 % $3::int], 'Stock Visibility ' || i / 20 % $3::int,
         'Scheduled function number ' || i || case when i % ($1 / 10) = 3 then ' needle' when i % 100 = 3 then ' hundredth' else '' end
           || ' enabled',
         case when i % 60 = 1 then '{"Nightly:close": "Disabled"}'::jsonb
           when i % 20 = 1 then '{"processEntryPointTimeouts": {"Nightly:close": 15}}'::jsonb end,
         case when i % 60 = 1 then '{"Nightly:close": "Enabled"}'::jsonb
           when i % 20 = 1 then '{"processEntryPointTimeouts": {"Nightly:close": 20}}'::jsonb end,
         case when i % 10000 = 2 then 'refused' when i % 1000 = 2 then 'failed' else 'done' end,
         case when i % 1000 = 2 then 'The platform did not answer.' end
       from generate_series(1, $1::int) as i`,
      [entries, appIds, appIds.length],
    ),
  );
  await client.query('commit');
  console.log(`rows: ${count(insertedMs / 1000)} s`);
  for (const { name, sql } of indexes) console.log(`${name}: ${count((await time(() => client.query(sql))) / 1000)} s`);
  await client.query('vacuum analyze audit_entry');
}
