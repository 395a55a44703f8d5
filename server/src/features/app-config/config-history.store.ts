import type { Change } from '@portal/contract/app-config';
import type { Pool } from '@portal/kit/postgres/pool';
import type { ChangedSettings } from './changed-settings.ts';

/** A change of an app's configuration that was made, as the audit trail has it. */
export interface MadeChange extends Change {
  readonly action: string;
  readonly before: ChangedSettings;
  readonly after: ChangedSettings;
}

const columns = `json_build_object('username', username, 'description', description, 'action', action,
  'before', before, 'after', after,
  'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
const isChange = `environment = $1 and resource = $2 and outcome = 'done' and action like 'config.%'
  and before is distinct from after`;

export interface LastChanges {
  /** By anybody. */
  readonly last: MadeChange | null;
  /** In this session. */
  readonly own: MadeChange | null;
}

export async function findLastChanges(
  pool: Pool,
  { environment, appId, sessionId }: { environment: string; appId: string; sessionId: string | null },
): Promise<LastChanges> {
  const { rows } = await pool.query<LastChanges>(
    `select
       (select ${columns} from audit_entry where ${isChange} order by id desc limit 1) as last,
       (select ${columns} from audit_entry where ${isChange} and session_id = $3 order by id desc limit 1) as own`,
    [environment, appId, sessionId],
  );
  return rows[0] ?? { last: null, own: null };
}

/** The last change that touched one of these settings. */
export async function findLastChangeOf(
  pool: Pool,
  environment: string,
  appId: string,
  settings: ChangedSettings,
): Promise<MadeChange | undefined> {
  const { processEntryPointTimeouts = {}, ...others } = settings;
  const { rows } = await pool.query<{ change: MadeChange }>(
    `select ${columns} as change from audit_entry
     where ${isChange} and (after ?| $3 or (after -> 'processEntryPointTimeouts') ?| $4) order by id desc limit 1`,
    [environment, appId, Object.keys(others), Object.keys(processEntryPointTimeouts)],
  );
  return rows[0]?.change;
}
