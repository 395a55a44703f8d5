/** A company's year in the portal's own tables: entries of the audit trail and deployments. */
import { type Pool, withClient } from '@portal/kit/postgres/pool';

type Client = Pick<Pool, 'query'>;

interface CompanyHistory {
  readonly environment: string;
  readonly timeZone: string;
  readonly apps: readonly CompanyApp[];
  readonly teams: readonly string[];
  readonly deployments: number;
  readonly auditEntries: number;
}

export interface CompanyApp {
  readonly id: string;
  readonly name: string;
  readonly schemaName: string;
  readonly dataSource: string;
}

/**
 * Does nothing when there are as many deployments already.
 *
 * @param databaseUrl the portal's database, for the role that owns it
 */
export async function addCompanyHistory(databaseUrl: string, history: CompanyHistory): Promise<void> {
  await withClient({ connectionString: databaseUrl }, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from deployment_schedules where environment = $1',
      [history.environment],
    );
    if ((rows[0]?.count ?? 0) >= history.deployments) return;
    await addDeployments(client, history);
    await addAuditEntries(client, history);
    await client.query('vacuum analyze deployment_schedules, deployment_saves, audit_entry');
  });
}

/**
 * At 18:00 of each day of ten months before and two months after today; all before today are
 * resolved.
 */
async function addDeployments(client: Client, { environment, timeZone, apps, teams, deployments }: CompanyHistory) {
  await client.query(
    `with app as (
       select * from jsonb_to_recordset($1) as a (id text, name text, "schemaName" text, "dataSource" text, no int)
     ), planned as (
       select i, now() - interval '300 days' + interval '360 days' * (i::float8 / $2) as at, ($3::text[])[1 + i % $4::int] as team
       from generate_series(1, $2::int) as i
     ), added as (
       insert into deployment_schedules (environment, deployment_date, team, jira_project, app_ids, app_names, app_schemas,
         release_name, release_group, release_tag, release_description, instructions, data_source, schedule_status,
         outcome, portal_user, revision, updated_at)
       select $5, (date_trunc('day', at at time zone $6) + interval '18 hours') at time zone $6, team, 'OPS',
         array[app.id], array[app.name], array[app."schemaName"], app.name || ' - ' || i, app."schemaName",
         'DEPLOY_' || app."schemaName" || '_' || i, '', '', app."dataSource",
         case when at < now() then 'RESOLVED' else 'MERGE' end,
         case when at < now() then (array['deployed', 'deployed', 'deployed', 'rolledBack', 'calledOff'])[1 + i % 5] end,
         'demo', 1, least(at, now()) - interval '2 days'
       from planned join app on app.no = i % $7::int
       returning id, environment, updated_at)
     insert into deployment_saves (schedule_id, revision, environment, at, saved_by, kind, changes)
     select id, 1, environment, updated_at, 'demo', 'created', '[]' from added`,
    [
      JSON.stringify(apps.map((app, no) => ({ ...app, no }))),
      deployments,
      teams,
      teams.length,
      environment,
      timeZone,
      apps.length,
    ],
  );
}

/** Without indexes, which take most of the time; afterwards each is created at once. */
async function addAuditEntries(client: Client, history: CompanyHistory) {
  const { rows: indexes } = await client.query<{ name: string; sql: string }>(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as sql
     from pg_indexes where tablename = 'audit_entry' and indexname <> 'audit_entry_pkey'`,
  );
  await client.query(`begin; set local maintenance_work_mem = '256MB'`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await insertAuditEntries(client, history);
  for (const { sql } of indexes) await client.query(sql);
  await client.query('commit');
}

async function insertAuditEntries(client: Client, { environment, apps, auditEntries }: CompanyHistory) {
  await client.query(
    `insert into audit_entry (at, username, environment, action, resource_kind, resource, resource_name, description,
       before, after, outcome, reason)
     select now() - interval '365 days' * (($1::int - i)::float8 / $1) - interval '1 minute', 'user-' || i % 40, $2,
       case when i % 20 = 1 then 'config.add-entry-point' else 'functions.toggle' end,
       'app', app.id, app.name, 'Scheduled function number ' || i || ' enabled',
       case when i % 20 = 1 then '{"processEntryPointTimeouts": {"Nightly:close": 15}}'::jsonb
         else '{"Nightly:close": "Disabled"}'::jsonb end,
       case when i % 20 = 1 then '{"processEntryPointTimeouts": {"Nightly:close": 20}}'::jsonb
         else '{"Nightly:close": "Enabled"}'::jsonb end,
       case when i % 10000 = 1 then 'refused' when i % 1000 = 1 then 'failed' else 'done' end,
       case when i % 1000 = 1 then 'The platform did not answer.' end
     from generate_series(1, $1::int) as i
     join jsonb_to_recordset($3) as app (id text, name text, no int) on app.no = i % $4::int`,
    [auditEntries, environment, JSON.stringify(apps.map(({ id, name }, no) => ({ id, name, no }))), apps.length],
  );
}
