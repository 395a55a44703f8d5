/**
 * Counts what wakes the run of an integration, and notifies its process of the counts. A process
 * that hears no notifications reads them with its leases.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import { wakeChannel } from './notifications.ts';

/** How often something happened since the integration was created. */
export interface WakeUps {
  /** The engine state was changed from outside the run. */
  readonly stateChanges: number;
  /** Journey reported that there is something new in its op-log. */
  readonly webhooks: number;
}

/** Wakes the run after a change to its engine state. */
export const wakeRun = (pool: Pool, id: string) => countWakeUp(pool, [id], 'state_changes');
/** Wakes the runs of these integrations, each once. */
export const saveWebhooks = (pool: Pool, ids: readonly string[]) => countWakeUp(pool, ids, 'webhooks');

async function countWakeUp(pool: Pool, ids: readonly string[], column: 'state_changes' | 'webhooks'): Promise<void> {
  await pool.query(
    `with counted as (
       update sync.lease set ${column} = ${column} + 1 where integration_id = any($1)
       returning integration_id, state_changes, webhooks
     )
     select pg_notify('${wakeChannel}', concat_ws(' ', integration_id, state_changes, webhooks)) from counted`,
    [ids],
  );
}

/**
 * Reads a notification. What others send does no harm: it belongs to no integration or counts
 * nothing.
 */
export function parseWakeUps(payload: string): { readonly id: string; readonly wakeUps: WakeUps } {
  const [id = '', stateChanges, webhooks] = payload.split(' ');
  return { id, wakeUps: { stateChanges: toCount(stateChanges), webhooks: toCount(webhooks) } };
}

function toCount(text = ''): number {
  return /^\d+$/.test(text) ? Number(text) : 0;
}
