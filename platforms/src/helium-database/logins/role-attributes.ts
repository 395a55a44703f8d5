/** The attributes with which a role can do more than an app or the portal needs. */
const attributes: Readonly<Record<string, string>> = {
  rolsuper: 'SUPERUSER',
  rolcreaterole: 'CREATEROLE',
  rolcreatedb: 'CREATEDB',
  rolbypassrls: 'BYPASSRLS',
  rolreplication: 'REPLICATION',
};

/** Returns an SQL expression for the attributes of a row of `pg_roles`, named as in ALTER ROLE. */
export function roleAttributesSql(role: string): string {
  const each = Object.entries(attributes).map(([column, name]) => `case when ${role}.${column} then '${name}' end`);
  return `array_remove(array[${each.join(', ')}], null)`;
}

/**
 * Returns an SQL condition on a row of `pg_roles`: whether the role can do what no app needs, such
 * as creating roles. PostgreSQL's own roles count as such.
 */
export function isPowerfulSql(role: string): string {
  const each = Object.keys(attributes).map((column) => `${role}.${column}`);
  return `(${each.join(' or ')} or ${role}.rolname like 'pg\\_%')`;
}
