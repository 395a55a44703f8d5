import pg from 'pg';

const quoted = pg.escapeIdentifier;

/**
 * Returns SQL for a schema with an object of every kind and unusual names. A superuser runs it in a
 * new database. Everything belongs to the app's role except members of an extension.
 */
export function schemaWithEverything(schemaName: string, appRole: string): string {
  const s = quoted(schemaName);
  const app = quoted(appRole);
  return `
create schema ${s} authorization ${app};
create extension citext schema ${s};
set local search_path = ${s}, pg_catalog;
create table visit (id serial primary key, number bigint generated always as identity, status text, weight numeric);
insert into visit (status, weight) values ('Open', 1), ('Closed', 2);
create table "Odd ""Name"" Ünïcode; drop schema x; --" (id int primary key, "a Column" text);
create table ${quoted('n'.repeat(63))} (id int);
create table measured (at date not null, value int) partition by range (at);
create table measured_2026 partition of measured for values from ('2026-01-01') to ('2027-01-01');
create table parent (id int); create table child () inherits (parent);
create index on visit (status);
create view open_visit as select * from visit where status = 'Open';
create materialized view visit_summary as select status, count(*) from visit group by status;
create sequence free_sequence;
create unlogged table cache (body text);
create foreign data wrapper "a wrapper"; create server "a server" foreign data wrapper "a wrapper";
create foreign table far_away (id int) server "a server";
create type mood as enum ('sad', 'happy');
create type "A Pair" as (a int, b mood);
create type span as range (subtype = numeric);
create type shell;
create domain positive as int check (value > 0);
create function add_one(a int, "B b" "A Pair" default null, out c int) language sql as 'select a + 1';
create function add_one(a "A Pair"[]) returns int language sql as 'select 1';
create function touch() returns trigger language plpgsql as $f$ begin new.status := coalesce(new.status, 'Open'); return new; end $f$;
create function as_definer() returns int language sql security definer as 'select 1';
create function many(variadic a text[]) returns int language sql as 'select 1';
create procedure clean(a int, inout b text) language sql as 'select b';
create aggregate total(int) (sfunc = int4pl, stype = int, initcond = '0');
create aggregate nothing(*) (sfunc = int8inc, stype = bigint, initcond = '0');
create aggregate middle(float8 order by anyelement) (sfunc = ordered_set_transition, stype = internal, finalfunc = percentile_disc_final, finalfunc_extra);
create function first_row() returns bigint language internal window immutable as 'window_row_number';
create trigger touch before insert on visit for each row execute function touch();
create collation german from "C";
create conversion odd_conversion for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8;
create function same(int, int) returns boolean language sql immutable as 'select $1 = $2';
create operator === (leftarg = int, rightarg = int, procedure = same);
create operator family by_hand using btree;
create operator class odd_ops for type int using btree as operator 1 <, operator 3 =, function 1 btint4cmp(int, int);
create text search configuration plain (copy = pg_catalog.simple);
create text search dictionary words (template = pg_catalog.simple);
create statistics visit_statistics on status, weight from visit;
alter table visit enable row level security; alter table visit disable row level security;
${giveAllTo(s, app)}`;
}

/** Transfers objects created by a superuser to the app. */
function giveAllTo(schema: string, role: string): string {
  const literal = pg.escapeLiteral;
  return `do $do$
declare statement text;
begin
  for statement in
    select format('alter %s %s owner to %s', replace(replace(i.type, 'aggregate', 'routine'), ' object', ''), i.identity, ${literal(role)})
    from (
      select 'pg_class'::regclass as catalog, oid from pg_class c where relnamespace = ${literal(schema)}::regnamespace
        and relkind in ('r', 'p', 'f', 'v', 'm', 'S') and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0)
      union all select 'pg_proc'::regclass, oid from pg_proc where pronamespace = ${literal(schema)}::regnamespace
      union all select 'pg_type'::regclass, t.oid from pg_type t left join pg_class c on c.oid = typrelid
        where typnamespace = ${literal(schema)}::regnamespace and (typrelid = 0 or c.relkind = 'c')
          and not exists (select from pg_type e where e.typarray = t.oid)
          and (typtype <> 'm' or current_setting('server_version_num')::int < 170000)
      union all select 'pg_collation'::regclass, oid from pg_collation where collnamespace = ${literal(schema)}::regnamespace
      union all select 'pg_conversion'::regclass, oid from pg_conversion where connamespace = ${literal(schema)}::regnamespace
      union all select 'pg_operator'::regclass, oid from pg_operator where oprnamespace = ${literal(schema)}::regnamespace
      union all select 'pg_opclass'::regclass, oid from pg_opclass where opcnamespace = ${literal(schema)}::regnamespace
      union all select 'pg_opfamily'::regclass, oid from pg_opfamily where opfnamespace = ${literal(schema)}::regnamespace
      union all select 'pg_ts_config'::regclass, oid from pg_ts_config where cfgnamespace = ${literal(schema)}::regnamespace
      union all select 'pg_ts_dict'::regclass, oid from pg_ts_dict where dictnamespace = ${literal(schema)}::regnamespace
      union all select 'pg_statistic_ext'::regclass, oid from pg_statistic_ext where stxnamespace = ${literal(schema)}::regnamespace
    ) o, pg_identify_object(o.catalog, o.oid, 0) i
    where not exists (select from pg_depend d where d.classid = o.catalog and d.objid = o.oid and d.deptype = 'e')
  loop
    execute statement;
  end loop;
end $do$;`;
}

/** A small schema like that of a real app. */
export function smallSchema(schemaName: string, appRole: string): string {
  const s = quoted(schemaName);
  const app = quoted(appRole);
  return `create schema ${s} authorization ${app};
    set local role ${app}; set local search_path = ${s};
    create table visit (id serial primary key, status text); create view open_visit as select * from visit;
    create function act() returns int language sql as 'select 1'; reset role;`;
}
