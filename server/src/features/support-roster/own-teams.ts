import { Unreachable } from '@portal/kit/problems';
import type { Config } from '../../config.ts';
import type { Caller } from '../../session/caller.ts';

/**
 * Returns the teams that have an app which the caller sees; none while the platform does not list
 * the caller's apps.
 */
export async function findOwnTeams(
  caller: Pick<Caller, 'apps'>,
  teams: Config['teams'],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const schemas = new Set(await listSchemas(caller, signal));
  return new Set(teams.filter(({ apps }) => apps.some((schema) => schemas.has(schema))).map(({ name }) => name));
}

async function listSchemas(caller: Pick<Caller, 'apps'>, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return (await caller.apps({ forReading: true, signal })).apps.map(({ schemaName }) => schemaName);
  } catch (error) {
    // Who is on call matters most when the platform is down.
    if (error instanceof Unreachable) return [];
    throw error;
  }
}
