/** The app's users and the devices they are signed in on. */
import { randomBytes, randomUUID } from 'node:crypto';
import { inTransaction, type Pool, type PoolClient } from '@portal/kit/postgres/pool';
import { ApiProblem, objectNotFound } from './api-problem.ts';
import { instantText } from './calendar.ts';
import type { Deployment } from './deployment.ts';

const codeLifeSeconds = 24 * 60 * 60;

/** How a device describes itself. */
export interface DeviceDescription {
  readonly label: string;
  readonly container: { readonly version: string; readonly bundle_id: string; readonly platform: string };
  readonly runtime: { readonly version: string };
  readonly device: { readonly id: string };
  /** For the legacy enrollment. */
  readonly os: string;
  readonly model: string;
}

interface SessionRow {
  readonly id: string;
  readonly app_user: string;
  readonly state: 'ENROLLED' | 'LOCKED' | 'RESET';
  readonly created_at: string;
  readonly last_authenticated_at: string;
  readonly last_connected_at: string;
  readonly signed_out_at: string | null;
  readonly device: DeviceDescription;
}

interface UserRow {
  readonly id: string;
  readonly locked: boolean;
  readonly last_connected_at: string | null;
  readonly enrolment_code: string | null;
}

type Queryable = Pool | PoolClient;

/** The objects of the user model and, if they are listed, deleted users, who stay locked. */
const usersSql = (
  deployment: Deployment,
) => `select coalesce(o.id, u.id) as id, coalesce(u.locked, false) as locked, u.last_connected_at, u.enrolment_code
  from (select id from object where deployment = $1 and type = $2) o
  ${deployment.listsDeletedUsers() ? 'full' : 'left'} join (select * from app_user where deployment = $1) u on u.id = o.id`;

export async function listUsers(deployment: Deployment, { limit, skip }: { limit: number; skip: number }) {
  const { rows } = await deployment.pool.query<UserRow & { total: string }>(
    `select users.*, count(*) over () as total from (${usersSql(deployment)}) users order by id limit $3 offset $4`,
    [deployment.key, deployment.dataModel().appUser, limit, skip],
  );
  const total = rows.length > 0 ? Number(rows[0]?.total) : await countUsers(deployment);
  return { total, count: rows.length, more: skip + rows.length < total, objects: await describe(deployment, rows) };
}

async function countUsers(deployment: Deployment): Promise<number> {
  const { pool, key, dataModel } = deployment;
  const counting = `select count(*) as total from (${usersSql(deployment)}) users`;
  const { rows } = await pool.query<{ total: string }>(counting, [key, dataModel().appUser]);
  return Number(rows[0]?.total);
}

export async function getUser(deployment: Deployment, id: string) {
  const { rows } = await deployment.pool.query<UserRow>(
    `select * from (${usersSql(deployment)}) users where id::text = $3`,
    [deployment.key, deployment.dataModel().appUser, id],
  );
  const [user] = await describe(deployment, rows);
  if (user === undefined) throw objectNotFound(deployment.dataModel().appUser ?? 'user', id);
  return user;
}

export async function getSession(deployment: Deployment, user: string, id: string) {
  const session = (await getUser(deployment, user)).sessions.find((one) => one.id === id);
  if (session === undefined) throw objectNotFound('session', id);
  return session;
}

/** Signs these users out everywhere and locks them; their devices are wiped. */
export async function lockAndWipe(client: PoolClient, deployment: Deployment, users: readonly string[]): Promise<void> {
  for (const user of users) await setLocked(client, deployment, user, true);
  await signOut(client, deployment, 'RESET', 'app_user = any($4)', users);
}

export async function lockUser(deployment: Deployment, user: string): Promise<void> {
  await inTransaction(deployment.pool, async (client) => {
    await setLocked(client, deployment, user, true);
    await signOut(client, deployment, 'LOCKED', `app_user = any($4) and state = 'ENROLLED'`, [user]);
  });
}

/** Sessions stay signed out until the user signs in again. Deleted users stay locked. */
export async function unlockUser(deployment: Deployment, user: string): Promise<void> {
  await requireUserObject(deployment, user);
  await setLocked(deployment.pool, deployment, user, false);
}

export async function wipeSession(deployment: Deployment, session: string): Promise<void> {
  await signOut(deployment.pool, deployment, 'RESET', 'id = any($4)', [session]);
}

export async function reAuthenticate(deployment: Deployment, session: string): Promise<void> {
  await signOut(deployment.pool, deployment, 'LOCKED', `id = any($4) and state = 'ENROLLED'`, [session]);
}

/** Returns a one-time code to sign in with. */
export async function createEnrollmentCode(deployment: Deployment, user: string) {
  await requireUserObject(deployment, user);
  const token = randomBytes(6).toString('hex');
  const expires = deployment.nowSeconds() + codeLifeSeconds;
  await deployment.pool.query(
    `insert into app_user (deployment, id, enrolment_code, code_expires_at) values ($1, $2, $3, $4)
     on conflict (deployment, id) do update set enrolment_code = excluded.enrolment_code, code_expires_at = excluded.code_expires_at`,
    [deployment.key, user, token, expires],
  );
  return { token, expires_at: instantText(expires) };
}

/** Signs a device in with a code, which is then used up. Returns the session's id. */
export async function enroll(deployment: Deployment, code: string, device: DeviceDescription): Promise<string> {
  const now = deployment.nowSeconds();
  return inTransaction(deployment.pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `update app_user set enrolment_code = null, code_expires_at = null, last_connected_at = $3
       where deployment = $1 and enrolment_code = $2 and coalesce(code_expires_at > $3, true) and not locked returning id`,
      [deployment.key, code, now],
    );
    const user = rows[0]?.id;
    if (user === undefined)
      throw new ApiProblem('INVALID_VALUE', 'This code is unknown, used, expired, or belongs to a locked user.');
    const others = `app_user = any($4) and state = 'ENROLLED'`;
    if (!deployment.isMultiDevice()) await signOut(client, deployment, 'LOCKED', others, [user]);
    const { rows: sessions } = await client.query<{ id: string }>(
      `insert into session (deployment, id, app_user, state, created_at, last_authenticated_at, last_connected_at, device)
       select $1, coalesce((select id from session where deployment = $1 and app_user = $3 and device->'device'->>'id' = $6), $2),
         $3, 'ENROLLED', $4, $4, $4, $5
       on conflict (deployment, id) do update
       set state = 'ENROLLED', last_authenticated_at = $4, last_connected_at = $4, device = excluded.device
       returning id`,
      [deployment.key, randomUUID(), user, now, JSON.stringify(device), device.device.id],
    );
    return sessions[0]?.id ?? '';
  });
}

/** Throws when the user model has no such object. */
export async function requireUserObject({ pool, key, dataModel }: Deployment, user: string): Promise<void> {
  const { appUser } = dataModel();
  const { rowCount } = await pool.query('select from object where deployment = $1 and type = $2 and id::text = $3', [
    key,
    appUser,
    user,
  ]);
  if (!rowCount) throw objectNotFound(appUser ?? 'user', user);
}

async function setLocked(client: Queryable, { key }: Deployment, user: string, locked: boolean): Promise<void> {
  await client.query(
    `insert into app_user (deployment, id, locked) values ($1, $2, $3)
     on conflict (deployment, id) do update set locked = excluded.locked`,
    [key, user, locked],
  );
}

/** `which` is SQL over sessions, with the ids as `$4`. */
export async function signOut(
  client: Queryable,
  deployment: Deployment,
  state: 'LOCKED' | 'RESET',
  which: string,
  ids: readonly string[],
): Promise<void> {
  await client.query(`update session set state = $2, signed_out_at = $3 where deployment = $1 and ${which}`, [
    deployment.key,
    state,
    deployment.nowSeconds(),
    ids,
  ]);
}

async function describe({ pool, key }: Deployment, users: readonly UserRow[]) {
  const { rows } = await pool.query<SessionRow>(
    'select * from session where deployment = $1 and app_user = any($2) order by created_at, id',
    [key, users.map(({ id }) => id)],
  );
  return users.map((user) => {
    const sessions = rows.filter((session) => session.app_user === user.id);
    return {
      id: user.id,
      last_connected_at: instant(user.last_connected_at),
      enrolled: sessions.some(({ state }) => state === 'ENROLLED'),
      locked: user.locked,
      sessions: sessions.map(describeSession),
    };
  });
}

function describeSession({ device: { os: _os, model: _model, ...device }, ...row }: SessionRow) {
  return {
    id: row.id,
    state: row.state,
    last_authenticated_at: instant(row.last_authenticated_at),
    created_at: instant(row.created_at),
    signed_out_at: instant(row.signed_out_at),
    last_connected_at: instant(row.last_connected_at),
    ...device,
    sync_status: { last_full_sync: instant(row.last_connected_at) },
  };
}

function instant(seconds: string | null): string | null {
  return seconds === null ? null : instantText(Number(seconds));
}
