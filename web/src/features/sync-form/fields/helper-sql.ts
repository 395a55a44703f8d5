/**
 * SQL that people run by hand beside the form. The schema's name comes from the platform, and is
 * quoted all the same.
 */

/**
 * The newest version of the change log: where an integration begins that shall not read what was
 * before.
 */
export function getBookmarkSql(schema: string): string {
  return [
    'SELECT coalesce(max(seq), 0) AS "Change Log Min Version"',
    `FROM ${quoteIdentifier(schema)}.__he_sync_obj_change__;`,
  ].join('\n');
}

/**
 * Views before materialized views, in one line to be copied. Without materialized views it ends in
 * a comma, which people are told of.
 */
export function getSkipTablesSql(schema: string): string {
  const aggregateNames = (name: string, catalog: string, end = '') => [
    `  (SELECT string_agg(${name}, ',' ORDER BY ${name})${end}`,
    `   FROM ${catalog}`,
    `   WHERE schemaname = ${quoteLiteral(schema)})`,
  ];
  return [
    'SELECT concat(',
    `${aggregateNames('viewname', 'pg_views', " || ','").join('\n')},`,
    aggregateNames('matviewname', 'pg_matviews').join('\n'),
    ') AS "Change Log Skip Tables";',
  ].join('\n');
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
