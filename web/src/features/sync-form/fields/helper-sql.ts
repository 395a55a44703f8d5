/**
 * SQL that users run by hand while they fill in the form. The schema name comes from the platform
 * and is quoted anyway.
 */
import { quoteIdentifier } from '../../../format/quote-identifier.ts';

/**
 * Returns SQL for the newest version of the change log, where a new integration starts if it is to
 * skip earlier changes.
 */
export function getBookmarkSql(schema: string): string {
  return [
    'SELECT coalesce(max(seq), 0) AS "Change Log Min Version"',
    `FROM ${quoteIdentifier(schema)}.__he_sync_obj_change__;`,
  ].join('\n');
}

/**
 * Returns SQL that lists views and then materialized views in one line. Without materialized views
 * the result ends in a comma, which the form mentions.
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

function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
