import { Notifications as DatabaseNotifications, type NotificationsOptions } from '@portal/kit/postgres/notifications';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';

export const wakeChannel = 'sync_wake';

const channels = { integration: 'sync_integration', log: 'sync_log', wake: wakeChannel } as const;
type Channel = keyof typeof channels;

type Db = Pick<PoolClient | Pool, 'query'>;

/** Notifies that the configuration, status or lease of an integration has changed. */
export async function notifyIntegrationChanged(db: Db, id: string): Promise<void> {
  await db.query('select pg_notify($1, $2)', [channels.integration, id]);
}

/** The notifications between the processes of the sync service. */
export class Notifications extends DatabaseNotifications<Channel> {
  constructor(options: Omit<NotificationsOptions<Channel>, 'channels' | 'checkChannel' | 'applicationName'>) {
    super({ ...options, channels, checkChannel: 'sync_check', applicationName: 'portal sync: listens' });
  }
}
