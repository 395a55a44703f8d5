import type { SyncStatus } from '@portal/contract/sync/integration';
import { inTransaction, type Pool, type PoolClient } from '@portal/kit/postgres/pool';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import { getTransition, type StatusEvent, type StatusTransition } from '../integration/status-table.ts';
import { notifyIntegrationChanged } from './notifications.ts';

export interface StatusChange {
  /** ISO. */
  readonly at: string;
  readonly status: SyncStatus;
  readonly by: string;
  readonly reason: string | null;
}

/** The engine as the author of a change. */
export const engineAuthor = 'engine';

interface StatusEventRequest {
  readonly id: string;
  readonly event: Exclude<StatusEvent, 'destroy'>;
  /** A user's name, or `engineAuthor`. */
  readonly by: string;
  readonly reason?: string;
  /**
   * Applies the event only while this lease and configuration are current: events of an outdated
   * run are ignored.
   */
  readonly lease?: { readonly holder: string; readonly fence: string; readonly configVersion: number };
}

/**
 * Applies the transition of the status table and records it in the history. Returns undefined when
 * the integration does not exist, or not with that lease.
 */
export async function applyStatusEvent(pool: Pool, request: StatusEventRequest): Promise<StatusTransition | undefined> {
  return inTransaction(pool, (client) => changeStatus(client, request));
}

/**
 * Enables or disables the integration for a user. If anything changes, forms that were loaded
 * before become outdated.
 */
export async function setDesiredStatus(
  pool: Pool,
  request: Omit<StatusEventRequest, 'event' | 'lease'> & { readonly event: 'enable' | 'disable' },
): Promise<StatusTransition | undefined> {
  const { id, event, by } = request;
  return inTransaction(pool, async (client) => {
    const transition = await changeStatus(client, request);
    // A request for the current status changes nothing.
    if (transition && transition !== getTransition(event === 'enable' ? 'Enabled' : 'Disabled', event))
      await recordAuthor(client, id, by);
    return transition;
  });
}

/** Applies the event inside a transaction. */
export async function changeStatus(
  client: PoolClient,
  request: StatusEventRequest,
): Promise<StatusTransition | undefined> {
  const { id, event, by, lease } = request;
  const reason = request.reason === undefined ? null : toStorableText(request.reason);
  const { rows } = await client.query<{ status: SyncStatus }>(
    `select i.status from sync.integration i join sync.lease l on l.integration_id = i.id
     where i.id = $1 and ($2::text is null or (l.holder = $2 and l.fence = $3 and i.config_version = $4))
     for no key update of i`,
    [id, lease?.holder ?? null, lease?.fence ?? null, lease?.configVersion ?? null],
  );
  const status = rows[0]?.status;
  if (status === undefined) return undefined;
  const transition = getTransition(status, event);
  if (transition.to !== 'Deleted' && transition.to !== status) {
    await client.query(
      `update sync.integration
       set status = $2,
           halt_reason = case when $2 = 'Halted' then coalesce($3, 'No reason was given.') end,
           halted_since = case when $2 = 'Halted' then clock_timestamp() end
       where id = $1`,
      [id, transition.to, reason],
    );
  }
  // The history lists every save, because a new configuration explains what follows.
  const isSave = event === 'save-enabled' || event === 'save-disabled';
  if (transition.to !== 'Deleted' && (transition.to !== status || isSave))
    await recordStatus(client, id, transition.to, by, reason);
  if (transition.run !== 'leave') await notifyIntegrationChanged(client, id);
  return transition;
}

export async function recordStatus(
  client: PoolClient,
  id: string,
  status: SyncStatus,
  by: string,
  reason: string | null,
): Promise<void> {
  await client.query('insert into sync.status_change (integration_id, status, by, reason) values ($1, $2, $3, $4)', [
    id,
    status,
    by,
    reason,
  ]);
}

async function recordAuthor(client: PoolClient, id: string, by: string): Promise<void> {
  await client.query(
    `update sync.integration
     set changed_by = $2,
         changed_at = greatest(date_trunc('milliseconds', clock_timestamp()), changed_at + interval '1 millisecond')
     where id = $1`,
    [id, by],
  );
}

/** Returns the last thousand changes, newest first. */
export async function readStatusHistory(pool: Pool, id: string): Promise<StatusChange[]> {
  const { rows } = await pool.query<{ at: Date; status: SyncStatus; by: string; reason: string | null }>(
    'select at, status, by, reason from sync.status_change where integration_id = $1 order by id desc limit 1000',
    [id],
  );
  return rows.map(({ at, ...rest }) => ({ at: at.toISOString(), ...rest }));
}

/** Returns the status of every integration, in all environments. */
export async function readStatuses(
  pool: Pool,
): Promise<readonly { readonly environment: string; readonly appId: string; readonly status: SyncStatus }[]> {
  const { rows } = await pool.query<{ environment: string; app_id: string; status: SyncStatus }>(
    'select environment, app_id, status from sync.integration',
  );
  return rows.map(({ environment, app_id, status }) => ({ environment, appId: app_id, status }));
}
