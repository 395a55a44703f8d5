/**
 * SQL that people run by hand beside the form. The schema's name comes from the platform, and is
 * quoted all the same.
 */

/**
 * The newest version of the change log: where an integration begins that shall not read what was
 * before.
 */
export function bookmarkSqlOf(schema: string): string {
  return [
    'SELECT coalesce(max(seq), 0) AS "Change Log Min Version"',
    `FROM ${identifier(schema)}.__he_sync_obj_change__;`,
  ].join('\n');
}

/**
 * Views before materialized views, in one line to be copied. Without materialized views it ends in
 * a comma, which people are told of.
 */
export function skipTablesSqlOf(schema: string): string {
  const listOf = (name: string, catalog: string, end = '') => [
    `  (SELECT string_agg(${name}, ',' ORDER BY ${name})${end}`,
    `   FROM ${catalog}`,
    `   WHERE schemaname = ${literal(schema)})`,
  ];
  return [
    'SELECT concat(',
    `${listOf('viewname', 'pg_views', " || ','").join('\n')},`,
    listOf('matviewname', 'pg_matviews').join('\n'),
    ') AS "Change Log Skip Tables";',
  ].join('\n');
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
