import type { explainStatement } from '@portal/contract/db-spy';
import type { ResponseOf } from '@portal/contract/endpoint';
import {
  explainRefusal,
  explainText,
  statementRefusal,
} from '@portal/platforms/helium-database/statistics/explain-statement';
import { findSchemaOfRole } from '@portal/platforms/helium-database/statistics/role-schema';
import { readStatementText } from '@portal/platforms/helium-database/statistics/statement-text';
import { requireStatistics } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

/** Returns the plan of a recorded statement, or the reason why there is none. */
export async function explain(target: StatisticsTarget, id: string): Promise<ResponseOf<typeof explainStatement>> {
  const { database, dataSource, rule, findVisible } = target;
  const { server, extension } = await requireStatistics(database, dataSource);
  const reason = explainRefusal(server);
  if (reason !== null) return refuse(reason);
  const rules = rule ? [rule] : await findVisible();
  const { query, ranBy, ...recorded } = await readStatementText(database, extension, id, rules);
  const refusal = statementRefusal({ text: query, ...recorded });
  if (refusal !== null) return refuse(refusal);
  if (!database.hasSeparateLogins) return refuse(withoutSeparateLogins);
  // Of the role that ran it, not of the app in whose name it was asked for: a statement of one app
  // can name the schema of another, and bring functions with it.
  const schemaName = ranBy === null ? null : await findSchemaOfRole(database, ranBy);
  if (schemaName === null) return refuse(explainForeignRole(ranBy));
  return explainText(database.asApp(schemaName), { text: query, schemaName });
}

function refuse(reason: string): ResponseOf<typeof explainStatement> {
  return { plan: null, reason, note: null };
}

const withoutSeparateLogins =
  'The planner runs functions of apps, and this data source has one login with rights on every app. An administrator can give it separate logins: see `grantUrl` in docs/configuration.md.';

function explainForeignRole(ranBy: string | null): string {
  const role = ranBy === null ? 'a role that was deleted' : `${ranBy}, which is not the role of an app`;
  return `The planner runs functions with the rights of its user, so the portal plans only what an app has run. This was run by ${role}. To see its plan, run EXPLAIN (GENERIC_PLAN) with the statement as that role.`;
}
