import type { App } from '@portal/contract/apps';
import { conflictHours, type findScheduleConflicts, type Schedule } from '@portal/contract/deployments';
import { wizardSentences } from '@portal/contract/deployments-rules';
import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { InvalidPayload } from '@portal/edge/problems';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Caller } from '../../session/caller.ts';
import { readInstant } from './deployment-times.ts';
import { listOpenBetween } from './schedules.store.ts';

/**
 * Finds deployments scheduled around that time that affect the same apps, schemas or data source,
 * earliest first. Throws InvalidPayload.
 */
export async function findConflicts(
  pool: Pool,
  caller: Caller,
  apps: readonly App[],
  { id, dataSource, appIds, deploymentDate }: RequestOf<typeof findScheduleConflicts>,
): Promise<ResponseOf<typeof findScheduleConflicts>> {
  const { name, timeZone } = caller.environment;
  const at = readInstant(deploymentDate, timeZone).getTime();
  if (Number.isNaN(at))
    throw new InvalidPayload({ deploymentDate: wizardSentences.deploymentDate }, wizardSentences.deploymentDate);
  const schemas = new Set(apps.map(({ schemaName }) => schemaName));
  const near = await listNear(pool, name, at);
  return describeConflicts(
    near.filter((other) => other.id !== id),
    { dataSource, appIds: new Set(appIds), schemas },
  );
}

/** Finds deployments that conflict with a saved one, earliest first. */
export async function findConflictsOf(
  pool: Pool,
  { id, environment, deploymentDate, dataSource, appIds, appSchemas }: Schedule,
): Promise<ResponseOf<typeof findScheduleConflicts>> {
  const near = await listNear(pool, environment, Date.parse(deploymentDate));
  return describeConflicts(
    near.filter((other) => other.id !== id),
    { dataSource, appIds: new Set(appIds), schemas: new Set(appSchemas) },
  );
}

function listNear(pool: Pool, environment: string, at: number): Promise<Schedule[]> {
  const hours = conflictHours * 3_600_000;
  return listOpenBetween(pool, environment, new Date(at - hours), new Date(at + hours));
}

/** What a deployment affects. */
interface Affected {
  readonly dataSource: string;
  readonly appIds: ReadonlySet<string>;
  readonly schemas: ReadonlySet<string>;
}

function describeConflicts(others: readonly Schedule[], affected: Affected): ResponseOf<typeof findScheduleConflicts> {
  return others
    .map((other) => ({
      id: other.id,
      releaseName: other.releaseName,
      team: other.team,
      deploymentDate: other.deploymentDate,
      reasons: findReasons(other, affected),
    }))
    .filter(({ reasons }) => reasons.length > 0);
}

/** A shared app implies a shared schema, so only the app is listed. */
function findReasons(other: Schedule, requested: Affected): string[] {
  return [
    ...other.appIds.flatMap((appId, at) => {
      const schema = other.appSchemas[at] ?? '';
      if (requested.appIds.has(appId)) return [`same app: ${other.appNames[at]}`];
      return requested.schemas.has(schema) ? [`same schema: ${schema}`] : [];
    }),
    ...(other.dataSource === requested.dataSource ? [`same data source: ${other.dataSource}`] : []),
  ];
}
