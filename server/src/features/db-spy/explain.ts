import type { explainStatement } from '@portal/contract/db-spy';
import type { AnswerOf } from '@portal/contract/endpoint';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { explainRefusal, explainText } from '@portal/platforms/helium-database/statistics/explain-statement';
import { readStatementText } from '@portal/platforms/helium-database/statistics/statement-text';
import { requireStatistics } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

/** The plan of a statement the server has in its statistics, or the reason why there is none. */
export async function explain(target: StatisticsTarget, id: string): Promise<AnswerOf<typeof explainStatement>> {
  const { database, dataSource, rule } = target;
  const { server, extension } = await requireStatistics(database, dataSource);
  const reason = explainRefusal(server);
  if (reason !== null) return { plan: null, reason };
  const { query, ranBy } = await readStatementText(database, extension, id, rule ?? undefined);
  const schemaName = rule ? rule.schemaName : await schemaOf(database, ranBy);
  return explainText(database, { text: query, schemaName });
}

/** Where an app's own role looks for the names in its statements; null where the role is no app's. */
async function schemaOf(database: HeliumDatabase, role: string | null): Promise<string | null> {
  const schemas = await readAppSchemas(database);
  const owned = schemas.filter(({ owner }) => owner === role);
  return owned.length === 1 ? (owned[0]?.schemaName ?? null) : null;
}
