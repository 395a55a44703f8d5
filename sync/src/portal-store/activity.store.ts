import { type Activity, type ActivityInterval, type ActivitySpan, activitySpans } from '@portal/contract/sync/activity';
import type { Pool } from '@portal/kit/postgres/pool';
import type { IntegrationActivity } from '../integration/activity-tally.ts';

const spans = Object.entries(activitySpans);

/**
 * Adds to the intervals of each span, and deletes those of the same integrations that no span shows
 * any more. What belongs to deleted integrations is dropped.
 */
export async function addActivity(pool: Pool, activities: readonly IntegrationActivity[]): Promise<void> {
  const ids = activities.map(({ id }) => id);
  await pool.query(
    `with step as (
       select * from unnest($7::text[], $8::float8[], $9::int[]) as s (span, ms, intervals)
     ), old as (
       delete from sync.activity a using step s
       where a.integration_id = any($1::bigint[]) and a.span = s.span
         and a.at < now() - make_interval(secs => s.ms / 1000 * (s.intervals + 1))
     )
     insert into sync.activity as a
       (integration_id, span, at, to_journey, to_helium, to_journey_lag_ms, to_helium_lag_ms)
     select i.id, s.span, to_timestamp(floor(c.at_ms / s.ms) * s.ms / 1000), sum(c.to_journey), sum(c.to_helium),
            max(c.to_journey_lag_ms), max(c.to_helium_lag_ms)
     from unnest($1::bigint[], $2::float8[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
            as c (id, at_ms, to_journey, to_helium, to_journey_lag_ms, to_helium_lag_ms)
     join sync.integration i on i.id = c.id cross join step s
     group by 1, 2, 3 order by 1, 2, 3
     on conflict (integration_id, span, at) do update
       set to_journey = a.to_journey + excluded.to_journey, to_helium = a.to_helium + excluded.to_helium,
           to_journey_lag_ms = greatest(a.to_journey_lag_ms, excluded.to_journey_lag_ms),
           to_helium_lag_ms = greatest(a.to_helium_lag_ms, excluded.to_helium_lag_ms)`,
    [
      ids,
      activities.map(({ at }) => at),
      activities.map(({ toJourney }) => toJourney),
      activities.map(({ toHelium }) => toHelium),
      activities.map(({ toJourneyLagMs }) => Math.round(toJourneyLagMs)),
      activities.map(({ toHeliumLagMs }) => Math.round(toHeliumLagMs)),
      spans.map(([span]) => span),
      spans.map(([, { stepMs }]) => stepMs),
      spans.map(([, { intervals }]) => intervals),
    ],
  );
}

const columns = `
  extract(epoch from a.at)::float8 * 1000 as at, a.to_journey::float8 as "toJourney", a.to_helium::float8 as "toHelium",
  a.to_journey_lag_ms::float8 as "toJourneyLagMs", a.to_helium_lag_ms::float8 as "toHeliumLagMs"`;

/** Returns the intervals of a span that ends now. */
export async function readActivity(pool: Pool, id: string, span: ActivitySpan, nowMs: number): Promise<Activity> {
  const from = getFirst(activitySpans[span].stepMs, activitySpans[span].intervals, nowMs);
  const { rows } = await pool.query<ActivityInterval>(
    `select ${columns} from sync.activity a
     where a.integration_id = $1 and a.span = $2 and a.at >= to_timestamp($3::float8 / 1000) order by a.at`,
    [id, span, from],
  );
  return { from, intervals: rows };
}

export interface ActivityList {
  readonly from: number;
  /** By app id. */
  readonly byApp: ReadonlyMap<string, ActivityInterval[]>;
}

/** Returns the last hours of the integrations of an environment that were active in them. */
export async function listActivities(
  pool: Pool,
  environment: string,
  { hours, nowMs }: { readonly hours: number; readonly nowMs: number },
): Promise<ActivityList> {
  const from = getFirst(activitySpans.week.stepMs, hours, nowMs);
  const { rows } = await pool.query<ActivityInterval & { appId: string }>(
    `select i.app_id as "appId", ${columns} from sync.integration i join sync.activity a on a.integration_id = i.id
     where i.environment = $1 and a.span = 'week' and a.at >= to_timestamp($2::float8 / 1000) order by i.app_name, i.id, a.at`,
    [environment, from],
  );
  const byApp = new Map<string, ActivityInterval[]>();
  for (const { appId, ...interval } of rows) {
    const intervals = byApp.get(appId);
    if (intervals) intervals.push(interval);
    else byApp.set(appId, [interval]);
  }
  return { from, byApp };
}

/** Returns when the first of this many intervals starts; the last one includes now. */
function getFirst(stepMs: number, intervals: number, nowMs: number): number {
  return (Math.floor(nowMs / stepMs) - intervals + 1) * stepMs;
}
