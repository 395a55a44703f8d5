import type { Pool } from '@portal/kit/postgres/pool';
import { toStorableText } from '@portal/kit/postgres/storable-text';

/** What is checked of apps, and what a check returns. Results are stored as JSON. */
export interface CheckResults {
  readonly configuration: { readonly disabled: boolean; readonly locked: boolean };
  readonly functions: {
    /** Read by `readFunctionNames` only. */
    readonly names?: readonly string[];
    readonly count: number;
    readonly newest: readonly {
      readonly qualifiedName: string;
      /** ISO instant. */
      readonly finished: string;
      readonly error: string | null;
    }[];
  };
}

export type CheckSubject = keyof CheckResults;

/** The part of an environment that is checked. */
export interface CheckArea {
  readonly environment: string;
  readonly subject: CheckSubject;
}

/** The system that returns results: a data source by its name, or the platform. */
export interface CheckSourceKey extends CheckArea {
  readonly source: string;
}

export interface StoredCheck<Subject extends CheckSubject> {
  readonly app: string;
  readonly result: CheckResults[Subject] | null;
  /** ISO instant of the result. */
  readonly readAt: string | null;
  /** ISO instant of the last attempt. */
  readonly attemptedAt: string;
  readonly problem: string | null;
}

export interface StoredSource<Subject extends CheckSubject> {
  readonly source: string;
  /** The apps that it has; null if it has all. */
  readonly apps: readonly string[] | null;
  readonly problem: string | null;
  readonly checks: readonly StoredCheck<Subject>[];
}

interface FunctionNames {
  readonly source: string;
  readonly schemaName: string;
  readonly names: readonly string[];
}

/** Longer than the interval at which an open page asks again. */
const viewedWithinSecs = 120;
/** Longer than the interval at which the page of an app asks again. */
const openWithinSecs = 30;
/** How many other apps are checked between two whose pages are open. */
const othersPerOpen = 5;
const removeAfterDays = 7;

const isOpen = `opened_at > now() - interval '${openWithinSecs} seconds'`;
const isViewed = `viewed_at > now() - interval '${viewedWithinSecs} seconds'`;

/** Records that the session views these apps. Does nothing if it has ended. */
export async function saveViewer(
  pool: Pool,
  sessionId: string,
  { environment, subject }: CheckArea,
  apps: readonly string[],
): Promise<void> {
  await pool.query(
    `insert into app_check_viewer (session_id, environment, subject, apps)
     select id, $2, $3, $4 from session where id = $1
     on conflict (session_id, subject) do update set apps = excluded.apps, viewed_at = now()`,
    [sessionId, environment, subject, apps],
  );
}

/** Ends the part of the session in the checks, until it views apps again. */
export async function removeViewer(pool: Pool, sessionId: string): Promise<void> {
  await pool.query('delete from app_check_viewer where session_id = $1', [sessionId]);
}

/** Records that someone has the page of an app open. */
export async function saveOpenPage(
  pool: Pool,
  environment: string,
  apps: Readonly<Record<CheckSubject, string>>,
): Promise<void> {
  await pool.query(
    `insert into app_check_page (environment, subject, app)
     select $1, subject, app from unnest($2::text[], $3::text[]) page (subject, app) order by subject
     on conflict (environment, subject, app) do update set opened_at = now()`,
    [environment, Object.keys(apps), Object.values(apps)],
  );
}

export async function isAreaViewed(pool: Pool, { environment, subject }: CheckArea): Promise<boolean> {
  const { rows } = await pool.query<{ viewed: boolean }>(
    `select exists (select from app_check_viewer where environment = $1 and subject = $2 and ${isViewed} and apps <> '{}') as viewed`,
    [environment, subject],
  );
  return rows[0]?.viewed === true;
}

/**
 * Returns viewed apps whose last attempt is at least this long ago: first those without one, then
 * the one attempted longest ago. Those whose page is open are due earlier, and come first. Five
 * others follow each of them, so that many open pages do not keep the others from being checked.
 *
 * @param known The apps that the source has; null for all.
 */
export async function findDueApps(
  pool: Pool,
  { environment, subject, source }: CheckSourceKey,
  known: readonly string[] | null,
  {
    minAgeMs,
    openMinAgeMs,
    limit,
  }: { readonly minAgeMs: number; readonly openMinAgeMs: number; readonly limit: number | null },
): Promise<string[]> {
  // Most users see the same apps.
  const { rows } = await pool.query<{ app: string }>(
    `select app from (
       select app, is_open, row_number() over (partition by is_open order by attempted_at nulls first, app) - 1 as place
       from (select distinct unnest(apps) as app from (
         select distinct apps from app_check_viewer where environment = $1 and subject = $2 and ${isViewed}) lists) viewed
       left join (select app, attempted_at from app_check where (environment, subject, source) = ($1, $2, $3)) c using (app)
       cross join lateral (select exists (select from app_check_page p
         where (p.environment, p.subject, p.app) = ($1, $2, viewed.app) and ${isOpen}) as is_open) page
       where ($4::text[] is null or app in (select unnest($4::text[])))
         and (attempted_at is null
           or attempted_at <= clock_timestamp() - case when is_open then $6::float8 else $5 end * interval '1 millisecond')) due
     order by case when is_open then place * ${othersPerOpen} else place end, is_open desc limit $7`,
    [environment, subject, source, known, minAgeMs, openMinAgeMs, limit],
  );
  return rows.map(({ app }) => app);
}

/** Returns sessions that view the app, the last one first. */
export async function findViewers(
  pool: Pool,
  { environment, subject }: CheckArea,
  app: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select session_id as id from app_check_viewer
     where environment = $1 and subject = $2 and ${isViewed} and $3 = any(apps)
     order by viewed_at desc, session_id limit $4`,
    [environment, subject, app, limit],
  );
  return rows.map(({ id }) => id);
}

/** Records which apps a source has, or why it cannot be read. Writes only what has changed. */
export async function saveSource(
  pool: Pool,
  { environment, subject, source }: CheckSourceKey,
  state: { readonly apps: readonly string[] | null } | { readonly problem: string },
): Promise<void> {
  const [apps, problem] = 'problem' in state ? [null, toStorableText(state.problem)] : [state.apps, null];
  await pool.query(
    `insert into app_check_source as s (environment, subject, source, apps, problem) values ($1, $2, $3, $4, $5)
     on conflict (environment, subject, source) do update
     set problem = excluded.problem, apps = case when excluded.problem is null then excluded.apps else s.apps end
     where s.problem is distinct from excluded.problem
       or (excluded.problem is null and s.apps is distinct from excluded.apps)`,
    [environment, subject, source, apps, problem],
  );
}

/** Records a result. */
export async function saveResult<Subject extends CheckSubject>(
  pool: Pool,
  { environment, subject, source }: CheckSourceKey & { readonly subject: Subject },
  app: string,
  result: CheckResults[Subject],
): Promise<void> {
  await pool.query(
    `insert into app_check (environment, subject, source, app, attempted_at, result, read_at)
     values ($1, $2, $3, $4, now(), $5, now())
     on conflict (environment, subject, source, app) do update
     set attempted_at = excluded.attempted_at, result = excluded.result, read_at = excluded.read_at, problem = null`,
    [environment, subject, source, app, JSON.stringify(result)],
  );
}

/** Records an attempt without a result. Without a problem, some sessions were refused. */
export async function saveFailure(
  pool: Pool,
  { environment, subject, source }: CheckSourceKey,
  app: string,
  problem: string | null,
): Promise<void> {
  await pool.query(
    `insert into app_check as c (environment, subject, source, app, attempted_at, problem)
     values ($1, $2, $3, $4, clock_timestamp(), $5)
     on conflict (environment, subject, source, app) do update
     set attempted_at = excluded.attempted_at, problem = coalesce(excluded.problem, c.problem)`,
    [environment, subject, source, app, problem && toStorableText(problem)],
  );
}

/** Returns what is known of the apps, by source. */
export async function readChecks<Subject extends CheckSubject>(
  pool: Pool,
  { environment, subject }: CheckArea & { readonly subject: Subject },
  apps: readonly string[],
): Promise<StoredSource<Subject>[]> {
  const { rows } = await pool.query<StoredSource<Subject>>(
    `select s.source, s.apps, s.problem, coalesce(
       (select json_agg(json_build_object('app', c.app, 'result', c.result - 'names', 'readAt', c.read_at,
          'attemptedAt', c.attempted_at, 'problem', c.problem))
        from app_check c
        where (c.environment, c.subject, c.source) = (s.environment, s.subject, s.source) and c.app = any($3)),
       '[]') as checks
     from app_check_source s where s.environment = $1 and s.subject = $2`,
    [environment, subject, apps],
  );
  return rows;
}

/** Returns the names of the functions of the apps, by data source and schema. */
export async function readFunctionNames(
  pool: Pool,
  environment: string,
  schemas: readonly string[],
): Promise<FunctionNames[]> {
  const { rows } = await pool.query<FunctionNames>(
    `select source, app as "schemaName", result -> 'names' as names from app_check
     where environment = $1 and subject = 'functions' and app = any($2) and result ? 'names'`,
    [environment, schemas],
  );
  return rows;
}

/** Returns the age of the oldest result of a viewed app by environment, in seconds. */
export async function readOldestAges(
  pool: Pool,
): Promise<{ readonly environment: string; readonly seconds: number }[]> {
  const { rows } = await pool.query<{ environment: string; seconds: number }>(
    `select c.environment, extract(epoch from now() - min(c.read_at))::float8 as seconds
     from app_check c
     where exists (select from app_check_viewer v
       where v.environment = c.environment and v.subject = c.subject and ${isViewed} and c.app = any(v.apps))
     group by c.environment having min(c.read_at) is not null`,
  );
  return rows;
}

/** Removes viewers who have left, closed pages, and apps that no one has viewed for days. */
export async function removeOld(pool: Pool): Promise<void> {
  await pool.query(`delete from app_check_viewer where not (${isViewed})`);
  await pool.query(`delete from app_check_page where not (${isOpen})`);
  await pool.query(`delete from app_check where attempted_at < now() - interval '${removeAfterDays} days'`);
}
