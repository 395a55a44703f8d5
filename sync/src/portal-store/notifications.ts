import { Notifications as DatabaseNotifications, type NotificationsOptions } from '@portal/kit/postgres/notifications';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';

const channels = {
  integration: 'sync_integration',
  log: 'sync_log',
  wake: 'sync_wake',
  webhook: 'sync_webhook',
} as const;
type Channel = keyof typeof channels;

type Db = Pick<PoolClient | Pool, 'query'>;

async function notify(db: Db, channel: Channel, id: string): Promise<void> {
  await db.query('select pg_notify($1, $2)', [channels[channel], id]);
}

/** Notifies that the configuration, status or lease of an integration has changed. */
export const notifyIntegrationChanged = (db: Db, id: string) => notify(db, 'integration', id);
/** Notifies that the engine state of an integration was changed from outside its run. */
export const wakeRun = (db: Db, id: string) => notify(db, 'wake', id);
/** Notifies that there is something new in the op-log of an integration's Journey. */
export const notifyWebhook = (db: Db, id: string) => notify(db, 'webhook', id);

/** The notifications between the processes of the sync service. */
export class Notifications extends DatabaseNotifications<Channel> {
  constructor(options: Omit<NotificationsOptions<Channel>, 'channels' | 'checkChannel' | 'applicationName'>) {
    super({ ...options, channels, checkChannel: 'sync_check', applicationName: 'portal sync: listens' });
  }
}
