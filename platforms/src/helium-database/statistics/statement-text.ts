import { NotFound } from '@portal/kit/problems';
import type { HeliumDatabase } from '../database.ts';
import { type AppRule, namesAnySchema } from './app-rule.ts';
import { getIdColumn, getStatementsSource } from './statement-columns.ts';
import type { StatisticsExtension } from './statistics-server.ts';

export interface StatementText {
  readonly query: string;
  /** The role that ran the statement; null when it was deleted. */
  readonly ranBy: string | null;
}

/**
 * Returns the full text of a statement. Throws NotFound when the server no longer has it or it
 * belongs to none of the apps.
 *
 * @param rules Null for a statement of any app or none.
 */
export async function readStatementText(
  database: HeliumDatabase,
  extension: StatisticsExtension,
  id: string,
  rules: readonly AppRule[] | null,
): Promise<StatementText> {
  if (rules?.length === 0) throw notFound(database);
  const ofApp = `and (r.rolname = any ($2) or s.query ~ $3)`;
  const [found] = await database.query<StatementText & Record<string, unknown>>(
    `select s.query, r.rolname as "ranBy" from ${getStatementsSource(extension, { withTexts: true })} s
     left join pg_roles r on r.oid = s.userid
     where ${getIdColumn(extension)} = $1 ${rules ? ofApp : ''}`,
    rules ? [id, rules.map(({ role }) => role), namesAnySchema(rules)] : [id],
  );
  if (!found) throw notFound(database);
  return found;
}

/** Returns those of the ids whose statements belong to one of the apps. */
export async function findStatementsOfApps(
  database: HeliumDatabase,
  extension: StatisticsExtension,
  ids: readonly string[],
  rules: readonly AppRule[],
): Promise<string[]> {
  if (rules.length === 0) return [];
  const found = await database.query<{ id: string }>(
    `select s.id from (
       select ${getIdColumn(extension)} as id, userid, query
       from ${getStatementsSource(extension, { withTexts: true })} statement
     ) s left join pg_roles r on r.oid = s.userid
     where s.id = any ($1) and (r.rolname = any ($2) or s.query ~ $3)`,
    [ids, rules.map(({ role }) => role), namesAnySchema(rules)],
  );
  return found.map(({ id }) => id);
}

function notFound({ name }: HeliumDatabase): NotFound {
  return new NotFound(`The server of ${name} no longer has this statement in its statistics.`);
}
