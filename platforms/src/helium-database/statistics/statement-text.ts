import { NotFound } from '@portal/kit/problems';
import type { HeliumDatabase } from '../database.ts';
import { type AppRule, namesAnySchema } from './app-rule.ts';
import { getIdColumn, getTextsSource, toShownText } from './statement-columns.ts';
import type { StatisticsExtension } from './statistics-server.ts';

export interface StatementText {
  readonly query: string;
  /** Whether the server still has the text; if not, `query` states that. */
  readonly hasText: boolean;
  /** Whether the server recorded literals, which the text does not contain. */
  readonly hidesLiterals: boolean;
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
  const ofApp = `and (r.rolname = any ($3) or s.query ~ $4)`;
  const key = database.statementIdKey;
  const [found] = await database.query<StatementText & Record<string, unknown>>(
    `select ${toShownText('s.query')} as query, s.has_text as "hasText", s.hides_literals as "hidesLiterals", r.rolname as "ranBy"
     from ${getTextsSource(extension)} s
     left join pg_roles r on r.oid = s.userid
     where ${getIdColumn(extension, '$2')} = $1 ${rules ? ofApp : ''}`,
    rules ? [id, key, rules.map(({ role }) => role), namesAnySchema(rules)] : [id, key],
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
       select ${getIdColumn(extension, '$4')} as id, userid, query
       from ${getTextsSource(extension)} statement
     ) s left join pg_roles r on r.oid = s.userid
     where s.id = any ($1) and (r.rolname = any ($2) or s.query ~ $3)`,
    [ids, rules.map(({ role }) => role), namesAnySchema(rules), database.statementIdKey],
  );
  return found.map(({ id }) => id);
}

function notFound({ name }: HeliumDatabase): NotFound {
  return new NotFound(`The server of ${name} no longer has this statement in its statistics.`);
}
