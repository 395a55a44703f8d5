import { NotFound } from '@portal/kit/problems';
import type { HeliumDatabase } from '../database.ts';
import { type AppRule, namesSchema } from './app-rule.ts';
import { getIdColumn, getStatementsSource } from './statement-columns.ts';
import type { StatisticsExtension } from './statistics-server.ts';

export interface StatementText {
  readonly query: string;
  /** The role that ran the statement; null when it was deleted. */
  readonly ranBy: string | null;
}

/**
 * Returns the full text of a statement. Throws NotFound when the server no longer has it or it is
 * not one of the app's.
 */
export async function readStatementText(
  database: HeliumDatabase,
  extension: StatisticsExtension,
  id: string,
  rule?: AppRule,
): Promise<StatementText> {
  const ofApp = `and (r.rolname = $2 or s.query ~ $3)`;
  const [found] = await database.query<StatementText & Record<string, unknown>>(
    `select s.query, r.rolname as "ranBy" from ${getStatementsSource(extension, { withTexts: true })} s
     left join pg_roles r on r.oid = s.userid
     where ${getIdColumn(extension)} = $1 ${rule ? ofApp : ''}`,
    rule ? [id, rule.role, namesSchema(rule.schemaName)] : [id],
  );
  if (!found) throw new NotFound(`The server of ${database.name} no longer has this statement in its statistics.`);
  return found;
}
