import { Conflict } from '@portal/kit/problems';
import { type AppSchema, readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { findAppRole } from '@portal/platforms/helium-database/schema-access/app-role';
import type { AppRule } from '@portal/platforms/helium-database/statistics/app-rule';
import type { Caller } from '../../session/caller.ts';

/**
 * Returns the rules of the statements of a data source that the caller may read: those of the
 * caller's apps. Null if the caller sees every app in it, and may therefore read all statements.
 */
export async function findVisibleRules(caller: Caller, database: HeliumDatabase): Promise<AppRule[] | null> {
  const [{ apps }, schemas] = await Promise.all([caller.apps({ forReading: true }), readAppSchemas(database)]);
  const isVisible = ({ schemaName }: AppSchema) => apps.some((app) => app.schemaName === schemaName);
  const hidden = schemas.filter((schema) => !isVisible(schema));
  if (hidden.length === 0) return null;
  const teams = caller.environment.teamUsers;
  const visible = schemas.filter(isVisible);
  const rules = await Promise.all(visible.map((schema) => findRule(database, schema, teams)));
  // A role that also owns the schema of another app does not identify one of them.
  const isShared = (role: string | null) => hidden.some(({ owner }) => owner === role);
  return rules.map((rule) => (isShared(rule.role) ? { ...rule, role: null } : rule));
}

async function findRule(
  database: HeliumDatabase,
  { schemaName, owner }: AppSchema,
  teams: readonly string[],
): Promise<AppRule> {
  const role = teams.includes(owner) ? await findRole(database, schemaName, teams) : owner;
  return { role, schemaName };
}

/**
 * Returns the role an app works as. Null if a team owns the schema and the app's own role is
 * unknown; the schema name is used instead.
 */
export async function findRole(
  database: HeliumDatabase,
  schemaName: string,
  teams: readonly string[],
): Promise<string | null> {
  try {
    const { appRole } = await findAppRole(database, schemaName, { teams });
    return appRole;
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}
