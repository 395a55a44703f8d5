/**
 * The DDL of Helium's change log, exactly as on the platform: tables and triggers in an app's
 * schema that log every change of a tracked object.
 *
 *   INSERT ──▶ insert_after ─────────────────────────▶ create, with the row's own number
 *   UPDATE ──▶ update_before: first change in this     ┐
 *              transaction? new tx, new number         ├▶ update, with the new number; later updates: nothing
 *              update_after                            ┘
 *   DELETE ──▶ delete_after: changed in this transaction? remove its entries; created in it? nothing more
 *              otherwise ────────────────────────────▶ delete, always with a new number
 *
 * The log names the changed row and holds no data. Numbers are drawn before the commit, so they can
 * become visible out of order; readers have to handle that.
 */
import pg from 'pg';

const logTable = '__he_sync_obj_change__';

/** The logs, each with a child table. Readers select from the parent; the triggers write to it. */
const parents: readonly (readonly [name: string, columns: string, key: string])[] = [
  [
    logTable,
    'seq bigint not null, change __he_sync_obj_change_type__ not null, object_name varchar(64) not null, object_uuid uuid not null, tx_id bigint',
    'seq',
  ],
  [
    '__he_sync_transaction_log__',
    'tx_id bigint not null, tx_tstamp timestamptz not null, seq_before bigint not null, seq_after bigint not null, identity_id uuid',
    'tx_id',
  ],
  [
    '__he_sync_many_to_many_unlink__',
    'seq bigint not null, relationship_name varchar(128) not null, left_uuid uuid not null, right_uuid uuid not null, tx_id bigint not null',
    'seq',
  ],
  [
    '__he_sync_bookmark__',
    'tx_id bigint not null, tx_tstamp timestamptz not null, entity jsonb not null, client_id uuid not null',
    'tx_id',
  ],
  [
    '__he_sync_client_request_log__',
    `tx_id bigint not null, tx_tstamp timestamptz not null,
     client_id uuid not null references __he_sync_client__ on delete cascade,
     request_bookmark_id bigint, response_bookmark_id bigint`,
    'tx_id',
  ],
];

/**
 * The types, sequence, log tables, and trigger functions of one schema, which must be first in the
 * search path.
 */
export function changeLogDdl(schemaName: string): string {
  return [
    "create type __he_obj_change_type__ as enum ('create', 'update');",
    "create type __he_sync_obj_change_type__ as enum ('create', 'update', 'delete');",
    'create sequence __he_sync_change_seq__;',
    'create table __he_sync_client__ (client_id uuid primary key, entity jsonb not null);',
    ...parents.flatMap(([name, columns, key]) => [
      `create table ${name} (${columns}, primary key (${key}));`,
      `create table ${getChildLog(name)} (primary key (${key}), check (tx_id >= 0)) inherits (${name});`,
    ]),
    // No other index: by transaction, the parent's entries are found only by reading all of them.
    `create index on ${getChildLog(logTable)} (tx_id, seq);`,
    trackingFunctionsDdl(schemaName),
  ].join('\n');
}

/** Returns `__he_sync_obj_change_current__` for `__he_sync_obj_change__`. */
function getChildLog(parent: string): string {
  return `${parent.slice(0, -2)}_current__`;
}

/** The columns of a tracked table. */
export const trackingColumns = [
  '_tx_id_ bigint not null default txid_current()',
  "_change_type_ __he_obj_change_type__ not null default 'create'",
  "_change_seq_ bigint not null default nextval('__he_sync_change_seq__')",
];

/** Logs the existing rows of a table, as its insert trigger would have done. */
export function logCreatedRows(table: string): string {
  return `insert into ${logTable} (seq, change, object_name, object_uuid, tx_id)
    select _change_seq_, 'create', '${table}', _id_, _tx_id_ from ${pg.escapeIdentifier(table)};`;
}

/** The index and triggers of one tracked table. */
export function trackingDdl(table: string): string {
  return [trackingIndexDdl(table), trackingTriggersDdl(table)].join('\n');
}

export function trackingIndexDdl(table: string): string {
  const index = pg.escapeIdentifier(`__idx_he_sync_${table}_txid__`);
  return `create index if not exists ${index} on ${pg.escapeIdentifier(table)} (_tx_id_);`;
}

/** Replaces existing functions, as every load of an app does. */
function trackingTriggersDdl(table: string): string {
  const name = pg.escapeIdentifier(table);
  const trigger = (moment: string, event: string) => {
    const called = `__he_sync_obj_${event}_${moment}__`;
    return `drop trigger if exists ${called} on ${name};
      create trigger ${called} ${moment} ${event} on ${name} for each row execute function ${called}();`;
  };
  return [
    trigger('after', 'insert'),
    trigger('before', 'update'),
    trigger('after', 'update'),
    trigger('after', 'delete'),
  ].join('\n');
}

/** Qualifies the log with its schema, because plain SQL can run with any search path. */
export function trackingFunctionsDdl(schemaName: string): string {
  const schema = pg.escapeIdentifier(schemaName);
  const log = `${schema}.${logTable}`;
  return `
create or replace function __he_sync_obj_insert_after__() returns trigger language plpgsql as $$
begin
  insert into ${log} (seq, change, object_name, object_uuid, tx_id)
  values (new._change_seq_, 'create', tg_table_name, new._id_, new._tx_id_);
  return null;
end $$;

create or replace function __he_sync_obj_update_before__() returns trigger language plpgsql as $$
begin
  if old._tx_id_ <> txid_current() then
    new._tx_id_ := txid_current();
    new._change_type_ := 'update';
    new._change_seq_ := nextval('${schema}.__he_sync_change_seq__');
  end if;
  return new;
end $$;

create or replace function __he_sync_obj_update_after__() returns trigger language plpgsql as $$
begin
  if old._tx_id_ <> new._tx_id_ then
    insert into ${log} (seq, change, object_name, object_uuid, tx_id)
    values (new._change_seq_, 'update', tg_table_name, new._id_, new._tx_id_);
  end if;
  return null;
end $$;

create or replace function __he_sync_obj_delete_after__() returns trigger language plpgsql as $$
begin
  if old._tx_id_ = txid_current() then
    delete from ${log} where tx_id = txid_current() and object_uuid = old._id_;
    if old._change_type_ = 'create' then
      return new;
    end if;
  end if;
  insert into ${log} (seq, change, object_name, object_uuid, tx_id)
  values (nextval('${schema}.__he_sync_change_seq__'), 'delete', tg_table_name, old._id_, txid_current());
  return new;
end $$;`;
}
