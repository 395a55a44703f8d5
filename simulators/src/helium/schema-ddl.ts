/**
 * The DDL of an app's schema in Helium's layout: objects, relations, Helium's own tables, the
 * change log, and the app's views. It is one script that runs as the app's role with the schema
 * first in the search path.
 */
import pg from 'pg';
import { changeLogDdl, logCreatedRows, trackingColumns, trackingDdl, trackingIndexDdl } from './change-log-ddl.ts';
import type { AppTemplate } from './definition.ts';
import type { AttributeType, ObjectDefinition } from './model.ts';

const columnTypes: Readonly<Record<AttributeType, string>> = {
  string: 'text',
  choice: 'varchar(64)',
  int: 'integer',
  bigint: 'bigint',
  decimal: 'numeric',
  bool: 'boolean',
  date: 'date',
  datetime: 'timestamp without time zone',
  uuid: 'uuid',
  json: 'jsonb',
  blob: 'bytea',
};

/** Helium's own tables. Where only their names are known, the columns are ours. */
const builtInTables = `
create table __scheduled_function_result__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, datetimestampstarted timestamp, datetimestampfinished timestamp,
  qualifiedname text, schedule text, error text, stacktrace text, success boolean);
create table __logging_log__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, userid uuid, key text, value text, time timestamp);
create table __sms_result__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, datetimestampstarted timestamp, datetimestampfinished timestamp,
  destination text, error text, success boolean, attempt integer, doneprocessing boolean);
create table __identity_invite_user__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, userreference uuid, contactfield text, userrole text, emailaddress text);
create table __identity_remove_role__ (_id_ uuid primary key, _tstamp_ timestamp not null, userreferenceid uuid);
create table __notification_message__ (_id_ uuid primary key, _tstamp_ timestamp not null, body text);
create table __notification_message_arg__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, name text, argument text,
  message_fk uuid references __notification_message__ on update cascade on delete set null);
create table __notification_email__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, recipient text, sent timestamp,
  message_fk uuid references __notification_message__ on update cascade on delete set null);
create table __notification_email_attachment__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, content bytea,
  email_fk uuid references __notification_email__ on update cascade on delete set null);
create table __notification_sms__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, destination text, sent timestamp,
  message_fk uuid references __notification_message__ on update cascade on delete set null);
create table __payment_status__ (_id_ uuid primary key, _tstamp_ timestamp not null, state varchar(64));
create table __payment__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, reference text, amount integer,
  status_fk uuid unique references __payment_status__ on update cascade on delete set null);
create table __payment_result__ (
  _id_ uuid primary key, _tstamp_ timestamp not null, reference text,
  payment_fk uuid unique references __payment__ on update cascade on delete set null);
create table __he_data_version__ (
  id serial primary key, objects_hash integer not null, migration_tstamp timestamptz not null);
create table __he_meta_data_version__ (id serial primary key, migration_tstamp timestamptz not null);
insert into __he_data_version__ (objects_hash, migration_tstamp) values (0, now());
insert into __he_meta_data_version__ (migration_tstamp) values (now());`;

/**
 * `rows` fills the tables before references and triggers exist, which is many times faster. The log
 * entries the triggers would have written are added afterwards.
 */
export function schemaDdl(app: AppTemplate, schemaName: string, rows = ''): string {
  const tracked = app.objects.filter((object) => object.tracked).map((object) => getTableName(object.name));
  return [
    changeLogDdl(schemaName),
    builtInTables,
    ...app.objects.flatMap((object) => [tableDdl(object), linkTablesDdl(object)]),
    rows,
    ...app.objects.map(relationsDdl),
    ...tracked.flatMap((table) => [logCreatedRows(table), trackingDdl(table)]),
    ...app.objects
      .filter(({ hasIdleTracking }) => hasIdleTracking)
      .map(({ name }) => trackingIndexDdl(getTableName(name))),
    ...(app.routines?.(schemaName) ?? []),
  ].join('\n');
}

/** Runs before the rest, as a role that may create extensions. */
export function extensionsDdl({ extensions = [] }: AppTemplate): string {
  return extensions
    .map((name) => `create extension if not exists ${pg.escapeIdentifier(name)} schema public;`)
    .join('\n');
}

/** Runs after the rows exist, so that materialized views are filled. */
export function viewsDdl(app: AppTemplate): string {
  return app.views
    .map(({ name, materialized, sql }) => `create ${materialized ? 'materialized ' : ''}view ${name} as ${sql};`)
    .join('\n');
}

export function getTableName(objectName: string): string {
  return objectName.toLowerCase();
}

/** The link table between two objects; the order of its columns determines the left one. */
export function getLinkTableName(objectName: string, relation: string): string {
  return `${getTableName(objectName)}_${relation.toLowerCase()}`;
}

/** The attribute names as written, including those of every role object. */
export function getAttributes(object: ObjectDefinition): Readonly<Record<string, AttributeType>> {
  const role = object.role ? roleAttributes : {};
  return { ...role, ...Object.fromEntries(Object.entries(object.attributes).map(([name, { type }]) => [name, type])) };
}

const roleAttributes: Readonly<Record<string, AttributeType>> = {
  _firstNames: 'string',
  _nickName: 'string',
  _surname: 'string',
  _locale: 'string',
  _timeZone: 'string',
};

function tableDdl(object: ObjectDefinition): string {
  const columns = [
    '_id_ uuid not null',
    '_tstamp_ timestamp not null',
    ...Object.entries(getAttributes(object)).flatMap(([name, type]) =>
      getColumns(name, type, object.attributes[name]?.isRequired ?? false),
    ),
    ...Object.keys(object.toOne).map(
      (relation) => `${toForeignKeyColumn(relation)} uuid${object.oneToOne.includes(relation) ? ' unique' : ''}`,
    ),
    ...(object.tracked || object.hasIdleTracking ? trackingColumns : []),
    `constraint ${pg.escapeIdentifier(`${getTableName(object.name)}_pkey`)} primary key (_id_)`,
  ];
  return `create table ${pg.escapeIdentifier(getTableName(object.name))} (${columns.join(', ')});`;
}

function getColumns(attribute: string, type: AttributeType, isRequired: boolean): string[] {
  const name = attribute.toLowerCase();
  const column = `${pg.escapeIdentifier(name)} ${columnTypes[type]}${isRequired ? ' not null' : ''}`;
  if (type !== 'blob') return [column];
  return [column, `${name}_fname__ varchar(255)`, `${name}_mtype__ varchar(255)`, `${name}_size__ integer`];
}

export function toForeignKeyColumn(relation: string): string {
  return pg.escapeIdentifier(`${relation.toLowerCase()}_fk`);
}

function linkTablesDdl(object: ObjectDefinition): string {
  const columns = 'left_fk uuid not null, right_fk uuid not null, primary key (left_fk, right_fk)';
  return Object.keys(object.toMany)
    .map((relation) => `create table ${getLinkTableName(object.name, relation)} (${columns});`)
    .join('\n');
}

function relationsDdl(object: ObjectDefinition): string {
  const table = getTableName(object.name);
  const toOne = Object.entries(object.toOne).map(([relation, other]) =>
    foreignKeyDdl(table, `${relation.toLowerCase()}_fk`, getTableName(other), 'set null'),
  );
  const toMany = Object.entries(object.toMany).flatMap(([relation, other]) => {
    const link = getLinkTableName(object.name, relation);
    return [
      foreignKeyDdl(link, 'left_fk', table, 'cascade'),
      foreignKeyDdl(link, 'right_fk', getTableName(other), 'cascade'),
    ];
  });
  return [...toOne, ...toMany].join('\n');
}

function foreignKeyDdl(table: string, column: string, other: string, onDelete: 'set null' | 'cascade'): string {
  // PostgreSQL names it {table}_{column}_fkey, cut to 63 characters and numbered where that is
  // taken.
  return `alter table ${pg.escapeIdentifier(table)} add foreign key (${pg.escapeIdentifier(column)}) references ${pg.escapeIdentifier(other)} (_id_) on update cascade on delete ${onDelete};`;
}
