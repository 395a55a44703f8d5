import type { explainStatement } from '@portal/contract/db-spy';
import type { ResponseOf } from '@portal/contract/endpoint';
import { explainRefusal, explainText } from '@portal/platforms/helium-database/statistics/explain-statement';
import { findSchemaOfRole } from '@portal/platforms/helium-database/statistics/role-schema';
import { readStatementText } from '@portal/platforms/helium-database/statistics/statement-text';
import { requireStatistics } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

/** Returns the plan of a recorded statement, or the reason why there is none. */
export async function explain(target: StatisticsTarget, id: string): Promise<ResponseOf<typeof explainStatement>> {
  const { database, dataSource, rule, findVisible } = target;
  const { server, extension } = await requireStatistics(database, dataSource);
  const reason = explainRefusal(server);
  if (reason !== null) return { plan: null, reason };
  const { query, ranBy } = await readStatementText(database, extension, id, rule ? [rule] : await findVisible());
  const schemaName = rule?.schemaName ?? (ranBy === null ? null : await findSchemaOfRole(database, ranBy));
  return explainText(database, { text: query, schemaName });
}
