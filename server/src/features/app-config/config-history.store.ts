import type { Change } from '@portal/contract/app-config';
import type { FunctionState } from '@portal/contract/scheduled-functions';
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Pool } from '@portal/kit/postgres/pool';
import { isAppChangeSql } from '../../audit/audit.store.ts';
import type { ChangedSettings } from './changed-settings.ts';

/** A successful change of an app as recorded in the audit trail. */
interface Recorded<State> extends Change {
  readonly action: string;
  readonly before: State;
  readonly after: State;
}

/** A change of the configuration. */
interface ConfigChange extends Recorded<ChangedSettings> {
  readonly isToggle: false;
}

/** A change of the state of a function, by its name 'unit:event'. */
interface Toggle extends Recorded<Readonly<Record<string, FunctionState>>> {
  readonly isToggle: true;
}

type RecordedChange = ConfigChange | Toggle;

const columns = `json_build_object('username', username, 'description', description, 'action', action,
  'isToggle', action = 'functions.toggle',
  'before', before, 'after', after,
  'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
const isChange = `environment = $1 and resource_kind = 'app' and resource = $2 and outcome = 'done'
  and before is distinct from after and ${isAppChangeSql}`;

export interface LastChanges {
  /** By any user. */
  readonly last: RecordedChange | null;
  /** In this session. */
  readonly own: RecordedChange | null;
}

export async function findLastChanges(
  pool: Pool,
  { environment, appId, sessionId }: { environment: string; appId: string; sessionId: string | null },
): Promise<LastChanges> {
  const { rows } = await pool.query<LastChanges>(
    // A named query, because planning all months takes longer than reading the two entries.
    namedQuery(
      'last changes',
      `select
         (select ${columns} from audit_entry where ${isChange} order by id desc limit 1) as last,
         (select ${columns} from audit_entry where ${isChange} and session_id = $3 order by id desc limit 1) as own`,
      [environment, appId, sessionId],
    ),
  );
  return rows[0] ?? { last: null, own: null };
}

/** Finds the last change to any of these settings of the configuration. */
export async function findLastChangeTo(
  pool: Pool,
  environment: string,
  appId: string,
  settings: ChangedSettings,
): Promise<ConfigChange | undefined> {
  const { processEntryPointTimeouts = {}, ...others } = settings;
  const { rows } = await pool.query<{ change: ConfigChange }>(
    `select ${columns} as change from audit_entry
     where ${isChange} and action <> 'functions.toggle' and (after ?| $3 or (after -> 'processEntryPointTimeouts') ?| $4) order by id desc limit 1`,
    [environment, appId, Object.keys(others), Object.keys(processEntryPointTimeouts)],
  );
  return rows[0]?.change;
}
