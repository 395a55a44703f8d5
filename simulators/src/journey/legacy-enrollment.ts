/** The legacy enrollment of users with one device: the user object contains a code to scan. */
import { randomBytes } from 'node:crypto';
import { instantText } from './calendar.ts';
import type { Deployment } from './deployment.ts';
import { type DeviceDescription, requireUserObject, signOut } from './sessions.ts';

/** The last four are our choice. */
export interface LegacyEnrollment {
  readonly enrolled: boolean;
  /** The content of the QR code; null once it is used. */
  readonly url: string | null;
  readonly launcher_version: string | null;
  readonly device_os: string | null;
  readonly device_model: string | null;
  readonly last_connected_at: string | null;
}

const enrolAddress = 'https://enroll.journeyapps.com/';

/** Returns enrollments by user. A user with neither device nor code gets a code. */
export async function readLegacyEnrollments(
  { pool, key }: Deployment,
  users: readonly string[],
): Promise<ReadonlyMap<string, LegacyEnrollment>> {
  if (users.length === 0) return new Map();
  await pool.query(
    `insert into app_user (deployment, id, enrolment_code)
     select $1, id, code from unnest($2::uuid[], $3::text[]) as given (id, code)
     where not exists (select from session where deployment = $1 and app_user = given.id and state = 'ENROLLED')
     on conflict (deployment, id) do update set enrolment_code = excluded.enrolment_code where app_user.enrolment_code is null`,
    [key, users, users.map(newCode)],
  );
  const { rows } = await pool.query<{
    id: string;
    enrolment_code: string | null;
    last_connected_at: string | null;
    state: string | null;
    device: DeviceDescription | null;
  }>(
    `select distinct on (u.id) u.id, enrolment_code, u.last_connected_at, state, device from app_user u
     left join session s on s.deployment = u.deployment and s.app_user = u.id
     where u.deployment = $1 and u.id = any($2) order by u.id, last_authenticated_at desc, s.id`,
    [key, users],
  );
  return new Map(
    rows.map(({ id, enrolment_code: code, last_connected_at: connected, state, device }) => [
      id,
      {
        enrolled: state === 'ENROLLED',
        url: code === null ? null : `${enrolAddress}${code}`,
        launcher_version: device?.container.version ?? null,
        device_os: device?.os ?? null,
        device_model: device?.model ?? null,
        last_connected_at: connected === null ? null : instantText(Number(connected)),
      },
    ]),
  );
}

/** Signs out the user's device until the new code is scanned. */
export async function reEnroll(deployment: Deployment, user: string): Promise<void> {
  await requireUserObject(deployment, user);
  await deployment.pool.query(
    `insert into app_user (deployment, id, enrolment_code) values ($1, $2, $3) on conflict (deployment, id)
     do update set enrolment_code = excluded.enrolment_code, code_expires_at = null`,
    [deployment.key, user, newCode()],
  );
  await signOut(deployment.pool, deployment, 'LOCKED', `app_user = any($4) and state = 'ENROLLED'`, [user]);
}

/** Reads a code or the content of a QR code. */
export function createEnrollmentCode(text: string): string {
  return text.startsWith(enrolAddress) ? text.slice(enrolAddress.length) : text;
}

function newCode(): string {
  return randomBytes(6).toString('hex');
}
