/**
 * The code of an app's owner in every place that the sync touches. It tries what the owner may not
 * do, and reports into the server's log, which neither a rollback nor a read-only transaction
 * undoes.
 */
import { z } from 'zod';
import { schema } from '../../../helium/helium-gateway.fixture.ts';

export const otherSchema = 'other__app_001';
export const otherKey = 'Staging/other/2/other__app_001/user';

export interface Marker {
  /** Where the code is. */
  readonly place: string;
  readonly current: string;
  readonly session: string;
  /** The attempts that succeeded. */
  readonly did: readonly string[];
}

const markerSchema = z.object({
  place: z.string(),
  current: z.string(),
  session: z.string(),
  did: z.array(z.string()),
});

/** The tables with code, and a text column of each. */
const probedTables = { visit: 'note', user: 'name', devicesession: 'state' };

/** Fails unless a row is found or changed. */
const any = (rows: string) => `select 1 / count(*) from (${rows}) found`;
const anyChanged = (change: string) => `with changed as (${change} returning 1) select 1 / count(*) from changed`;

/** All but the one that reading a table takes. */
const lockModes = [
  'row share',
  'row exclusive',
  'share update exclusive',
  'share',
  'share row exclusive',
  'exclusive',
].concat('access exclusive');

export const listLocks = (tables: readonly string[], modes: readonly string[] = lockModes): string[] =>
  tables.flatMap((table) => modes.map((mode) => `lock table __portal_sync__.${table} in ${mode} mode nowait`));

/**
 * Each has to fail.
 *
 * @param tables of the state
 */
export const listAttempts = (
  roles: readonly string[],
  tables: readonly string[],
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(listLocks(tables, ['share', 'access exclusive']).map((lock) => [lock, lock])),
  ...Object.fromEntries(roles.map((role) => [`become ${role}`, `set local role "${role}"`])),
  ...Object.fromEntries(roles.map((role) => [`be authorized as ${role}`, `set local session authorization "${role}"`])),
  "read another app's rows": any(`select from ${otherSchema}.secret`),
  "change another app's rows": anyChanged(`update ${otherSchema}.secret set value = 'taken'`),
  'create a role': 'create role created_by_a_tenant',
  "join another app's role": `do $do$ begin execute format('grant %I to %I', 'app_b', session_user); end $do$`,
  "see another app's state": any(`select from __portal_sync__.run where state_key = '${otherKey}'`),
  "see another app's marks": any(`select from __portal_sync__.dirty where table_name = 'of app b'`),
  "change another app's state": anyChanged(
    `update __portal_sync__.run set change_log_cursor = 99 where state_key = '${otherKey}'`,
  ),
  "add to another app's state": `insert into __portal_sync__.rounded (state_id, table_name, id)
    select state_id, 'planted', '00000000-0000-4000-8000-000000000001' from generate_series(1, 9) state_id
    where not exists (select from __portal_sync__.run r where r.state_id = generate_series.state_id)`,
  "forget another app's state": anyChanged(`delete from __portal_sync__.dirty where table_name = 'of app b'`),
  "lock another app's conflict, also by referring to it": `insert into __portal_sync__.conflict_file
    (state_id, conflict, column_name, side, size, bytes) select state_id, 1, 'planted', 'helium', 0, '' from __portal_sync__.run`,
  "forget another app's state through a function of the state": `select 1 / __portal_sync__.remove_dirty(array(
    select address::tid from generate_series(0, 9) page, generate_series(1, 99) line, format('(%s,%s)', page, line) address
    where address not in (select ctid::text from __portal_sync__.dirty)))`,
  "take another app's key": `update __portal_sync__.run set state_key = 'taken'`,
  'give its state away': `update __portal_sync__.run set login = 'app_b'`,
  'create a state': `insert into __portal_sync__.run (state_key, fence, change_log_cursor, op_log_cursor) values ('planted', 1, 1, 1)`,
  'choose a number that all apps share': `insert into __portal_sync__.comparison (id, state_id, table_name, helium, journey, drifted, held, left_as_is)
    overriding system value select 4711, state_id, 'planted', 0, 0, 0, 0, 0 from __portal_sync__.run`,
  'change the tables of the state':
    'create trigger planted before insert on __portal_sync__.held execute procedure suppress_redundant_updates_trigger()',
  'move the numbers of all apps': `select setval('__portal_sync__.dirty_mark', 1)`,
});

/**
 * Runs as the owner of the app, after the tables were created.
 *
 * @param attempts as of `listAttempts`
 */
export function plantSql(attempts: Readonly<Record<string, string>>, { hasGenerated = true } = {}): string {
  const list = JSON.stringify(Object.entries(attempts).map(([name, sql]) => ({ name, sql })));
  return `
set search_path to ${schema};
create function attempt(place text) returns void language plpgsql as $f$
declare one jsonb; did text[] := '{}';
begin
  for one in select * from pg_catalog.jsonb_array_elements($list$${list}$list$::jsonb) loop
    begin
      execute one->>'sql';
      did := did || (one->>'name');
    exception when others then null;
    end;
  end loop;
  begin
    execute 'reset role';
  exception when others then null;
  end;
  raise log 'MARKER %', pg_catalog.json_build_object('place', place, 'current', current_user, 'session', session_user, 'did', did);
end $f$;
create function probe(place text) returns boolean language plpgsql immutable as $f$
begin perform ${schema}.attempt(place); return true; end $f$;
create function probe_text(place text, value text) returns text language plpgsql immutable as $f$
begin perform ${schema}.attempt(place); return value; end $f$;
create function probe_row() returns trigger language plpgsql as $f$
begin perform ${schema}.attempt(tg_argv[0]); return coalesce(new, old); end $f$;
create domain probed as text check (probe('domain'));
${Object.entries(probedTables)
  .map(([table, column]) => plantInTableSql(table, column, hasGenerated))
  .join('')}
do $do$ declare child regclass; begin
  for child in select '__he_sync_obj_change__'::regclass union all
    select inhrelid from pg_inherits where inhparent = '__he_sync_obj_change__'::regclass loop
    execute format('create trigger logged before insert on %s for each row execute procedure probe_row(%L)', child, 'log');
  end loop;
end $do$;
reset search_path;
`;
}

/** @param column a text */
function plantInTableSql(table: string, column: string, hasGenerated: boolean): string {
  const place = (name: string) => `'${name} of ${table}'`;
  const generated = `, add column generated boolean generated always as (probe(${place('generated column')})) stored`;
  const changes = `insert or update or delete on "${table}"`;
  const run = (name: string) => `for each row execute procedure probe_row(${place(name)})`;
  return `
alter table "${table}" add column defaulted boolean default probe(${place('default')}),
  add column in_domain probed default 'value', add constraint checked check (probe(${place('check')}))
  ${hasGenerated ? generated : ''};
create index on "${table}" (probe_text(${place('index')}, ${column}));
alter table "${table}" enable row level security;
create policy watched on "${table}" using (probe(${place('policy')}));
create trigger a_before before ${changes} ${run('before')};
create trigger z_after after ${changes} ${run('after')};
create constraint trigger deferred after ${changes} deferrable initially deferred ${run('deferred')};`;
}

/** Where code runs whose rights are those of the session. */
export function listPlaces({ hasGenerated = true } = {}): string[] {
  const inTable = ['after', 'before', 'check', 'default', 'deferred', 'index'].concat(
    hasGenerated ? 'generated column' : [],
  );
  const ofTables = Object.keys(probedTables).flatMap((table) => inTable.map((name) => `${name} of ${table}`));
  return [...ofTables, 'domain', 'log'].sort();
}

export function readMarkers(log: string): Marker[] {
  return [...log.matchAll(/LOG: {2}MARKER (\{.*\})$/gm)].map(([, json = '']) => markerSchema.parse(JSON.parse(json)));
}
