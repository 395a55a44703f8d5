/**
 * The database of one simulated backend. All deployments share its tables, which are created at the
 * first start.
 */
import { withClient } from '@portal/kit/postgres/pool';
import pg from 'pg';

/** Sorts by code points whatever the server's locale is; filters and pages rely on that. */
const create = (name: string) =>
  `create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`;

/**
 * Makes the planner read pages from an index in order. Without statistics, such as after an initial
 * load, it would read and sort everything.
 */
const provisioningSql = (name: string) =>
  ['bitmapscan', 'sort', 'hashjoin', 'mergejoin']
    .map((plan) => `alter database ${pg.escapeIdentifier(name)} set enable_${plan} = off;`)
    .join(' ');

const tables = `
create table if not exists deployment (
  key integer primary key generated always as identity,
  id text not null unique,
  schema_xml text not null,
  defined_hash text not null,
  deployed_at timestamptz not null default now(),
  is_filled boolean not null default false,
  last_sequence bigint not null
) with (fillfactor = 50);

-- No foreign keys, because a check per row would cost as much as the row itself.
create table if not exists object (
  deployment integer not null,
  type text not null,
  id uuid not null,
  contents jsonb not null,
  updated_at bigint not null,
  created bigint not null,
  primary key (deployment, type, id)
);
-- Concatenating '' to the type prevents use of this index for lookups by id, which a planner without statistics might choose.
create index if not exists object_created on object (deployment, (type || ''), created);

create table if not exists op_log (
  deployment integer not null,
  sequence bigint not null,
  operation text not null,
  type text not null,
  id uuid not null,
  contents jsonb not null,
  updated_at bigint not null,
  created bigint not null,
  origin text not null,
  primary key (deployment, sequence)
);

create table if not exists attachment (
  deployment integer not null references deployment on delete cascade,
  id uuid not null,
  file_name text not null,
  content bytea not null,
  primary key (deployment, id)
);

create table if not exists app_user (
  deployment integer not null references deployment on delete cascade,
  id uuid not null,
  locked boolean not null default false,
  last_connected_at bigint,
  enrolment_code text,
  code_expires_at bigint,
  primary key (deployment, id)
);

create table if not exists session (
  deployment integer not null references deployment on delete cascade,
  id uuid not null,
  app_user uuid not null,
  state text not null,
  created_at bigint not null,
  last_authenticated_at bigint not null,
  last_connected_at bigint not null,
  signed_out_at bigint,
  device jsonb not null,
  primary key (deployment, id)
);
create index if not exists session_app_user on session (deployment, app_user);
`;

/** Creates the database with its tables and returns its address. */
export async function provisionDatabase(serverUrl: string, name: string): Promise<string> {
  await connect(serverUrl, async (superuser) => {
    const { rowCount } = await superuser.query('select from pg_database where datname = $1', [name]);
    if (!rowCount) await superuser.query(create(name));
    await superuser.query(`${provisioningSql(name)} alter database ${pg.escapeIdentifier(name)} set jit = off`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  await connect(url.href, (client) => client.query(`begin; ${tables} commit;`));
  return url.href;
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await connect(serverUrl, (superuser) =>
    superuser.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`),
  );
}

function connect<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient({ connectionString: url, application_name: 'journey-platform' }, use);
}
