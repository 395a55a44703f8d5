import { countAudit, getAudit, getRecentChanges } from '@portal/contract/audit';
import { withClient } from '@portal/kit/postgres/pool';
import type pg from 'pg';
import { count, type Figure, median, percentile, printFigures } from './figures.ts';
import { startSystem } from './system.ts';

/**
 * `npm run bench -- audit [ENTRIES] [ROUNDS]`: the first page of the audit trail of a year, through
 * the server. The peer is the count of all entries, which reads each of them.
 */
const [entries = 10_000_000, rounds = 9] = process.argv.slice(2).map(Number);
const days = 365;
const maxMs = 100;

const system = await startSystem({
  apps: 1,
  // Without roles, the user would see only the entries of one app.
  config: { roles: [{ role: 'admin', users: 'everyone' }] },
  postgresSettings: { shared_buffers: '1GB', max_wal_size: '8GB', maintenance_work_mem: '1GB' },
});
try {
  const filledMs = await time(() => withClient({ connectionString: system.databaseUrl }, fill));
  console.log(`${count(entries)} entries were written in ${count(filledMs / 1000)} s.`);
  const { cookie } = await system.signIn();
  const open = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await fetch(`${system.origin}${path}?${new URLSearchParams(query)}`, { headers: { cookie } });
    if (!response.ok) throw new Error(`${path} returned ${response.status} ${await response.text()}`);
    return response.text();
  };
  const ago = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  const day = { from: ago(300), to: ago(299) };
  const { next } = getAudit.response.parse(JSON.parse(await open(getAudit.path, day)));
  const pages: readonly (readonly [what: string, query: Readonly<Record<string, string>>])[] = [
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
    figures.push(await measure(`first page: ${what}`, () => open(getAudit.path, query)));
  figures.push(await measure('recent changes', () => open(getRecentChanges.path)));
  printFigures(`audit: ${count(entries)} entries of a year, p50 and longest of ${rounds} rounds`, figures);

  async function measure(what: string, run: () => Promise<unknown>): Promise<Figure> {
    const times: number[] = [];
    await run();
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
async function fill(client: pg.Client): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; sql: string }>(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as sql
     from pg_indexes where tablename = 'audit_entry' and indexname <> 'audit_entry_pkey'`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await client.query('drop table audit_entry_earlier');
  await client.query(`do $$ declare month timestamptz; begin
    for month in select generate_series(date_trunc('month', now()) - interval '13 months', now() - interval '1 month', '1 month') loop
      execute format('create table %I partition of audit_entry for values from (%L) to (%L)',
        'audit_entry_' || to_char(month, 'YYYY_MM'), month, month + interval '1 month');
    end loop; end $$`);
  await client.query(
    `insert into audit_entry (at, username, environment, action, resource, resource_name, description, outcome, reason)
     select now() - interval '${days} days' * (($1::int - i)::float8 / $1), 'user-' || i % 500, 'Production',
       case when i % 50000 = 1 then 'sync.reveal-password' when i % 20 = 1 then 'config.add-entry-point'
         else 'functions.toggle' end,
       'app-' || i % 400, 'Stock Visibility ' || i % 400,
       'Scheduled function number ' || i || case when i % ($1 / 10) = 3 then ' needle' when i % 100 = 3 then ' hundredth' else '' end
         || ' enabled',
       case when i % 10000 = 1 then 'refused' when i % 1000 = 1 then 'failed' else 'done' end,
       case when i % 1000 = 1 then 'The platform did not answer.' end
     from generate_series(1, $1::int) as i`,
    [entries],
  );
  for (const { sql } of indexes) await client.query(sql);
  await client.query('vacuum analyze audit_entry');
}
