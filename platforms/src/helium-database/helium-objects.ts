/**
 * Matches the names of the objects that Helium itself creates in an app's schema. Apps have tables
 * and views of their own whose names begin and end with two underscores.
 */
const heliumNamePattern =
  '^__(he_|identity_|notification_|payment|(logging_log|scheduled_function_result|sms_result)__$)';

/** A condition on a column of object names: whether the object belongs to the app. */
export function isAppObjectSql(nameColumn: string): string {
  return `${nameColumn} !~ '${heliumNamePattern}'`;
}

/**
 * Selects the object ids of all tables, views and sequences of a schema. A schema's relations have
 * no index of their own, and a database may have many thousands; what depends on a schema has one.
 *
 * @param name an expression for the schema's name
 */
export function relationIdsSql(name: string): string {
  return `select objid from pg_depend where classid = 'pg_class'::regclass and refclassid = 'pg_namespace'::regclass
    and refobjid = (select oid from pg_namespace where nspname = ${name})`;
}

/**
 * A condition: whether policies of a table may hide rows from the user of this session. A table
 * that applies them to its owner is not one of Helium, even where this user is exempt.
 *
 * @param alias of `pg_class`
 */
export function hidesRowsSql(alias: string): string {
  return `(${alias}.relrowsecurity and (${alias}.relforcerowsecurity or row_security_active(${alias}.oid)))`;
}

/**
 * A condition: whether a table has one of Helium's tracking triggers for which another condition
 * holds.
 *
 * @param alias of `pg_class`
 * @param condition on `t` of `pg_trigger`
 */
export function hasTrackingSql(alias: string, condition = 'true'): string {
  return `exists (select from pg_trigger t where t.tgrelid = ${alias}.oid and not t.tgisinternal
    and t.tgname like '\\_\\_he\\_sync\\_obj\\_%' and ${condition})`;
}

/** A condition on `t` of `pg_trigger`: whether sessions of an app do not fire it. */
export const isDisabledSql = "t.tgenabled in ('D', 'R')";
