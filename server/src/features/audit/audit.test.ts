// @module-tag long

import { countAudit, exportAudit, getAudit, getRecentChanges } from '@portal/contract/audit';
import type { RequestOf } from '@portal/contract/endpoint';
import { withClient } from '@portal/kit/postgres/pool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAppChangeSql } from '../../audit/audit.store.ts';
import { countEntries, searchEntries } from '../../audit/audit-search.store.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';

let world: SmallWorld;
let client: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({ roles: [{ role: 'admin', users: ['demo'] }] });
  client = await world.server.signIn('demo', 'demo');
  // 6,000 entries over 400 days, two of them at each moment, with a rare word far in the past. Some
  // are about dashboards that are named like apps.
  await fill(`insert into audit_entry (at, username, environment, action, resource_kind, resource, description, after, outcome)
    select now() - n / 2 * interval '192 minutes', 'user ' || n % 7, 'Production',
      case n % 5 when 0 then 'config.lock' else 'sync.save-config' end,
      case when n % 11 = 7 then 'dashboard' else 'app' end, 'app ' || n % 3,
      'Everyday ' || case when n % 1999 = 0 then 'Needle' else 'straw' end || ' 100%_' || n, '{}', case n % 50 when 0 then 'failed' else 'done' end
    from generate_series(0, 5999) as n`);
  // Users of the 400 apps see 20,000 entries of 200 days ago, 6,000 of them at one moment, and none
  // since.
  await fill(`insert into audit_entry (at, username, environment, action, resource_kind, resource, description, outcome)
    select case when n < 6000 then now() - n * interval '1 minute'
        else now() - interval '200 days' - greatest(n, 12000) * interval '1 minute' end,
      'user ' || n % 500, 'Busy', 'sync.save-config',
      case when n % 11 = 7 then 'dashboard' else 'app' end, case when n < 6000 then 'elsewhere' else 'app ' || n / 20 % 400 end,
      'Everyday ' || case when n % 9000 = 0 then 'Needle' else 'straw' end,
      case when n % 200 = 0 then 'failed' else 'done' end
    from generate_series(0, 25999) as n`);
  await fill('vacuum analyze audit_entry');
  await query('create extension if not exists pg_stat_statements');
});
afterAll(() => world.stop());

const query = (sql: string, values: unknown[] = []) =>
  world.server.dependencies.pool.query<{ id: string }>(sql, values);

/** Has no time-out: a busy machine may take longer than the portal waits for a statement. */
const fill = (sql: string) => withClient({ connectionString: world.server.databaseUrl }, (client) => client.query(sql));

async function readAll(filter: RequestOf<typeof getAudit>): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.call(getAudit, { ...filter, after });
    ids.push(...page.entries.map(({ id }) => id));
    if (page.next === null) return ids;
    after = page.next;
  }
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('pages of the audit trail', () => {
  const [from, to] = [daysAgo(300), daysAgo(290)];

  it.each<[RequestOf<typeof getAudit>, string]>([
    [{ username: 'user 3', action: 'config.lock' }, `username = 'user 3' and action = 'config.lock'`],
    [{ outcome: 'failed' }, `outcome = 'failed'`],
    [
      { resource: 'app 1', from, to },
      `resource_kind = 'app' and resource = 'app 1' and at >= '${from}' and at < '${to}'`,
    ],
    [{ resourceKind: 'dashboard', resource: 'app 1' }, `resource_kind = 'dashboard' and resource = 'app 1'`],
    [{ search: 'NEEDLE everyday' }, `description like '%Needle%'`],
    [{ search: 'needle', to }, `description like '%Needle%' and at < '${to}'`],
    [{ search: 'needle', from: to }, `description like '%Needle%' and at >= '${to}'`],
    [{ search: 'straw', from, to }, `description like '%straw%' and at >= '${from}' and at < '${to}'`],
    [{ search: 'straw', outcome: 'failed' }, `description like '%straw%' and outcome = 'failed'`],
    [{ search: '100%_59' }, `description like '%100\\%\\_59%'`],
    [{ search: 'nowhere' }, 'false'],
  ])('of %j hold each matching entry once, newest first, as many as are counted', async (filter, condition) => {
    const { rows } = await query(
      `select id::text from audit_entry where environment = 'Production' and ${condition} order by at desc, id desc`,
    );
    expect(await readAll(filter)).toEqual(rows.map(({ id }) => id));
    expect(await client.call(countAudit, filter)).toEqual({ count: rows.length, searchedSince: null });
  });

  const few = { username: 'user 3', appIds: ['app 1', 'app 2', 'app of another environment'] };
  const many = { username: 'user x', appIds: Array.from({ length: 400 }, (_, n) => `app ${n}`) };

  describe.each([
    ['a few apps', 'Production', few, 1_000],
    ['a few apps', 'Busy', few, 1_000],
    ['many apps', 'Production', many, 1_000],
    // 5,000 entries are collected for a page of the 6,000 of one moment; the trail has 32,000
    // entries.
    ['many apps', 'Busy', many, 10_000],
    ['no apps', 'Busy', { username: 'user 3', appIds: [] }, 1_000],
  ])('of a user without roles who sees %s of %s', (_, environment, visible, maxBlocks) => {
    it.each<[RequestOf<typeof getAudit>, string]>([
      [{}, 'true'],
      [{ outcome: 'failed', from }, `outcome = 'failed' and at >= '${from}'`],
      [{ username: 'user 4' }, `username = 'user 4'`],
      [{ resource: 'app 2', to }, `resource_kind = 'app' and resource = 'app 2' and at < '${to}'`],
      [{ from, to }, `at >= '${from}' and at < '${to}'`],
      [{ search: 'straw', action: 'config.lock' }, `description like '%straw%' and action = 'config.lock'`],
      [{ search: 'straw' }, `description like '%straw%'`],
      [{ search: 'ne', from }, `description like '%Ne%' and at >= '${from}'`],
      [{ search: 'needle everyday' }, `description like '%Needle%'`],
      [{ search: 'nowhere' }, 'false'],
    ])('of %j hold only the entries that the user may see, each once', async (filter, condition) => {
      const { pool } = world.server.dependencies;
      const ids: string[] = [];
      let searchedSince: string | null;
      for (let after: string | undefined; ; ) {
        const page = await searchEntries(pool, environment, { ...filter, after, visible }, 1_000);
        ids.push(...page.entries.map(({ id }) => id));
        ({ searchedSince } = page);
        if (page.next === null) break;
        after = page.next;
      }
      const { rows } = await query(
        `select id::text from audit_entry
         where environment = $1 and ${condition} and (resource_kind = 'app' and resource = any ($2) or username = $3) and at >= $4
         order by at desc, id desc`,
        [environment, visible.appIds, visible.username, searchedSince ?? '-infinity'],
      );
      expect(ids).toEqual(rows.map(({ id }) => id));
      expect((await countEntries(pool, environment, { ...filter, visible })).count).toBe(rows.length);
    });

    it.each<RequestOf<typeof getAudit>>([
      {},
      { outcome: 'failed' },
      { username: 'user 4' },
      { action: 'sync.save-config' },
      { resource: 'app 1' },
      { from, to },
      { search: 'straw' },
      { search: 'needle' },
      { search: 'everyday needle' },
      { search: 'nowhere' },
    ])('of %j are found without reading the trail', async (filter) => {
      const { pool } = world.server.dependencies;
      const readBlocks = async () => {
        const { rows } = await pool.query<{ blocks: number }>(
          `select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::int as blocks from pg_stat_statements
           where query like '%as collected%' and dbid = (select oid from pg_database where datname = current_database())`,
        );
        return rows[0]?.blocks ?? 0;
      };
      const before = await readBlocks();
      await searchEntries(pool, environment, { ...filter, visible }, 100);
      expect((await readBlocks()) - before).toBeLessThan(maxBlocks);
    });
  });

  it('reach back 90 days for words that no index supports, or before the end of the period', async () => {
    const { entries, searchedSince } = await client.call(getAudit, { search: 'Ne' });
    expect(Date.parse(searchedSince ?? '')).toBeCloseTo(Date.parse(daysAgo(90)), -6);
    expect(entries.every(({ at }) => at >= daysAgo(91))).toBe(true);
    const earlier = await client.call(getAudit, { search: 'Ne', to });
    expect(Date.parse(earlier.searchedSince ?? '')).toBe(Date.parse(to) - 90 * 86_400_000);
    expect((await client.call(getAudit, { search: 'Ne', from, to })).searchedSince).toBeNull();
  });

  it('reach back 90 days for any word if the database has no trigrams', async () => {
    await query('drop index audit_entry_by_text');
    const { entries, searchedSince } = await client.call(getAudit, { search: 'everyday' });
    expect(entries).toHaveLength(100);
    expect(searchedSince).not.toBeNull();
    await query(
      'create index audit_entry_by_text on audit_entry using gin (search_text gin_trgm_ops) with (fastupdate = off)',
    );
  });

  it('filter by a kind only together with an id', async () => {
    expect(parseProblem(await client.attempt(getAudit, { resourceKind: 'team' })).fields).toEqual({
      resourceKind: 'needs the id of a resource',
    });
  });

  it('are continued only from the end of a page', async () => {
    for (const after of ['7', 'x', '2026-99-99T00:00:00.000000Z_1'])
      expect(parseProblem(await client.attempt(getAudit, { after })).fields).toEqual({
        after: 'must be the end of a page of the audit trail',
      });
  });
});

describe('export of the audit trail', () => {
  it('holds all matching entries as CSV, newest first, and is recorded', async () => {
    const { text, headers } = await client.attempt(exportAudit, { outcome: 'failed' });
    expect(headers.get('content-disposition')).toContain('filename="audit Production.csv"');
    const [header, first, ...others] = text.trimEnd().split('\r\n');
    expect(header).toContain('First,Last,Attempts,User,Action,Kind,Resource,Name,Description,Outcome');
    expect(first).toMatch(/^[^,]+Z,[^,]+Z,1,user 0,config\.lock,app,app 0,,Everyday Needle 100%_0,failed/);
    expect(others).toHaveLength(119);
    const { entries } = await client.call(getAudit, { action: 'audit.export' });
    expect(entries).toMatchObject([{ outcome: 'done', after: { outcome: 'failed' } }]);
  });

  it('reads page after page', async () => {
    const { text } = await client.attempt(exportAudit, { action: 'sync.save-config' });
    expect(text.trimEnd().split('\r\n')).toHaveLength(4_801);
  });

  it('is not sent if it cannot be recorded', async () => {
    await query(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception sqlstate '53100' using message = 'no'; end $$`);
    await query('create trigger fail before insert on audit_entry for each row execute function fail()');
    const response = await client.attempt(exportAudit, {});
    await query('drop function fail cascade');
    expect([response.status, parseProblem(response).message]).toEqual([
      503,
      'Nothing is shown, because the audit trail cannot be written. Try again in a minute.',
    ]);
  });

  it('does not let a cell run as a formula', async () => {
    await query(`insert into audit_entry (at, username, environment, action, description, outcome)
      values (now(), '=1+1', 'Production', 'x', 'a "quoted", text', 'done')`);
    const { text } = await client.attempt(exportAudit, { username: '=1+1' });
    expect(text).toContain(`,'=1+1,x,,,,"a ""quoted"", text",done,`);
  });
});

it('the audit trail is only for administrators: pages, count and export', async () => {
  const other = await world.server.signIn('viewer', 'viewer');
  for (const endpoint of [getAudit, countAudit, exportAudit])
    expect((await other.attempt(endpoint, {})).status).toBe(403);
  expect((await other.attempt(getRecentChanges, undefined)).status).toBe(403);
});

describe('plans of the audit trail', () => {
  it.each([
    [
      'the newest entries of an app',
      `environment = 'Production' and resource_kind = 'app' and resource = 'app 1' order by at desc, id desc limit 8`,
      `Index Cond: ((environment = 'Production'::text) AND (resource_kind = 'app'::text) AND (resource = 'app 1'::text))`,
    ],
    [
      'the newest changes',
      `environment = 'Production' and ${isAppChangeSql} order by at desc, id desc limit 8`,
      `Index Cond: (environment = 'Production'::text)`,
    ],
    [
      'the last change of an app',
      `environment = 'Production' and resource_kind = 'app' and resource = 'app 1' and outcome = 'done' and ${isAppChangeSql}
        and before is distinct from after order by id desc limit 1`,
      `Index Cond: ((environment = 'Production'::text) AND (resource = 'app 1'::text))`,
    ],
    [
      'the change that undo reverts',
      `session_id = '11111111-1111-4111-8111-111111111111' and environment = 'Production' and resource_kind = 'app'
        and resource = 'app 1'
        and outcome = 'done' and ${isAppChangeSql} order by id desc limit 1`,
      `Index Cond: ((session_id = '11111111-1111-4111-8111-111111111111'::uuid) AND (resource = 'app 1'::text))`,
    ],
  ])('find %s in an index', async (_, condition, expected) => {
    await query('analyze audit_entry');
    const plan = await withClient({ connectionString: world.server.databaseUrl }, async (admin) => {
      // Small tables are read whole, whatever their indexes are.
      await admin.query('set enable_seqscan = off; set enable_bitmapscan = off');
      const { rows } = await admin.query<{ 'QUERY PLAN': string }>(
        `explain select id from audit_entry where ${condition}`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toContain(expected);
    expect(plan).not.toContain('Seq Scan');
  });
});
