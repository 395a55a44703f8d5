/**
 * Stores the calls to Journey whose outcome is not in the app's row yet, so that none is repeated
 * after a lost response or a kill.
 */
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { Cells } from './cells.ts';
import type { SignIn } from './sign-ins.ts';

const requests = '__portal_sync__.enrollment_request';

interface RequestKey {
  /** The key of the integration's state. */
  readonly stateKey: string;
  /** The flag that requests the call: 'appuser.reenroll'. */
  readonly flag: string;
  readonly rowId: string;
}

export interface Attempt {
  /** What Journey showed before the call; null before the first one. */
  readonly before: readonly SignIn[] | null;
  /** The result of a call that succeeded. */
  readonly result: Cells | null;
}

export async function readAttempt(db: Db, { stateKey, flag, rowId }: RequestKey): Promise<Attempt> {
  const { rows } = await db.query<Attempt>(
    `select before, result from ${requests} where state_key = $1 and flag = $2 and row_id = $3`,
    [stateKey, flag, rowId],
  );
  return rows[0] ?? { before: null, result: null };
}

export async function saveAttempt(db: Db, key: RequestKey, { before, result }: Attempt): Promise<void> {
  await db.query(
    `insert into ${requests} (state_key, flag, row_id, before, result) values ($1, $2, $3, $4, $5)
     on conflict (state_key, flag, row_id) do update set before = excluded.before, result = excluded.result`,
    [key.stateKey, key.flag, key.rowId, before && JSON.stringify(before), result && JSON.stringify(result)],
  );
}

export async function removeAttempt(db: Db, { stateKey, flag, rowId }: RequestKey): Promise<void> {
  const attempt = `select ctid from ${requests} where state_key = $1 and flag = $2 and row_id = $3 for update`;
  await removeRows(db, 'enrollment_request', attempt, [stateKey, flag, rowId]);
}

/** Removes the attempts of requests that were withdrawn: a later one is a new request. */
export async function removeOtherAttempts(
  db: Db,
  { stateKey, flag }: Omit<RequestKey, 'rowId'>,
  rowIds: readonly string[],
): Promise<void> {
  const others = `select ctid from ${requests} where state_key = $1 and flag = $2 and row_id <> all($3::uuid[]) for update`;
  await removeRows(db, 'enrollment_request', others, [stateKey, flag, rowIds]);
}
