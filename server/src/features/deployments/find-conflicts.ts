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
  const appSchemas = apps.map(({ schemaName }) => schemaName);
  return findNear(pool, { id, environment: name, at, dataSource, appIds, appSchemas });
}

/** Finds deployments that conflict with a saved one, earliest first. */
export function findConflictsOf(pool: Pool, schedule: Schedule): Promise<ResponseOf<typeof findScheduleConflicts>> {
  return findNear(pool, { ...schedule, at: Date.parse(schedule.deploymentDate) });
}

interface Planned extends Pick<Schedule, 'environment' | 'dataSource' | 'appIds' | 'appSchemas'> {
  /** Missing until it is saved. */
  readonly id?: string | null | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

async function findNear(
  pool: Pool,
  { id, environment, at, dataSource, appIds, appSchemas }: Planned,
): Promise<ResponseOf<typeof findScheduleConflicts>> {
  const hours = conflictHours * 3_600_000;
  const near = await listOpenBetween(pool, environment, new Date(at - hours), new Date(at + hours));
  const affected = { dataSource, appIds: new Set(appIds), schemas: new Set(appSchemas) };
  return near
    .filter((other) => other.id !== id)
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
function findReasons(
  other: Schedule,
  affected: {
    readonly dataSource: string;
    readonly appIds: ReadonlySet<string>;
    readonly schemas: ReadonlySet<string>;
  },
): string[] {
  return [
    ...other.appIds.flatMap((appId, at) => {
      const schema = other.appSchemas[at] ?? '';
      if (affected.appIds.has(appId)) return [`same app: ${other.appNames[at]}`];
      return affected.schemas.has(schema) ? [`same schema: ${schema}`] : [];
    }),
    ...(other.dataSource === affected.dataSource ? [`same data source: ${other.dataSource}`] : []),
  ];
}
