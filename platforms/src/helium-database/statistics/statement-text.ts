import { NotFound } from '@portal/kit/problems';
import type { HeliumDatabase } from '../database.ts';
import { type AppRule, namesSchema } from './app-rule.ts';
import { idOf, statementsIn } from './statement-columns.ts';
import type { StatisticsExtension } from './statistics-server.ts';

export interface StatementText {
  readonly query: string;
  /** The role that ran it; null where it is gone. */
  readonly ranBy: string | null;
}

/**
 * The whole text of a statement. Throws NotFound when the server has it no longer, or it is none of
 * the app's.
 */
export async function readStatementText(
  database: HeliumDatabase,
  extension: StatisticsExtension,
  id: string,
  rule?: AppRule,
): Promise<StatementText> {
  const ofApp = `and (r.rolname = $2 or s.query ~ $3)`;
  const [found] = await database.query<StatementText & Record<string, unknown>>(
    `select s.query, r.rolname as "ranBy" from ${statementsIn(extension, { withTexts: true })} s
     left join pg_roles r on r.oid = s.userid
     where ${idOf(extension)} = $1 ${rule ? ofApp : ''}`,
    rule ? [id, rule.role, namesSchema(rule.schemaName)] : [id],
  );
  if (!found) throw new NotFound(`The server of ${database.name} no longer has this statement in its statistics.`);
  return found;
}
