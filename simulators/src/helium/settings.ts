/**
 * The settings made by administrators: per app, service, and scheduled event. They are cached in
 * memory and written to the schema `helium_platform` of the environment's first data source.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import {
  HeliumAppConfig,
  type HeliumAppConfigPatch,
  type HeliumEventState,
  HeliumServiceConfig,
} from '@portal/platforms/helium/wire';
import { applyPatch } from './config-patch.ts';

const serviceDefaults: HeliumServiceConfig = {
  processTimeoutGlobalDefault: 5,
  maxDatabaseResults: 1000,
  outboundApiTimeoutGlobalDefault: 12,
};

export interface Settings {
  service(): HeliumServiceConfig;
  setService(change: Partial<HeliumServiceConfig>): Promise<void>;
  app(appId: string): HeliumAppConfig;
  /** Returns the changes, one sentence each. */
  patchApp(appId: string, appName: string, patch: HeliumAppConfigPatch): Promise<string>;
  /** By `Unit:event`. */
  isEnabled(appId: string, scheduledEvent: string): boolean;
  setEvent(appId: string, scheduledEvent: string, state: HeliumEventState): Promise<void>;
}

export async function openSettings(pool: Pool): Promise<Settings> {
  const apps = await pool.query<{ app_id: string; config: unknown }>(
    'select app_id, config from helium_platform.app_config',
  );
  const services = await pool.query<{ config: unknown }>('select config from helium_platform.service_config');
  const events = await pool.query<{ app_id: string; scheduled_event: string }>(
    'select * from helium_platform.disabled_event',
  );

  const configs = new Map(apps.rows.map((row) => [row.app_id, HeliumAppConfig.parse(row.config)]));
  const disabledEvents = new Set(events.rows.map((row) => `${row.app_id} ${row.scheduled_event}`));
  const stored = services.rows[0];
  let service = stored === undefined ? serviceDefaults : HeliumServiceConfig.parse(stored.config);

  let lastWrite: Promise<unknown> = Promise.resolve();

  const app = (appId: string): HeliumAppConfig =>
    configs.get(appId) ?? {
      processEntryPointTimeouts: {},
      maxDatabaseResults: service.maxDatabaseResults,
      disabled: false,
      disabledMessage: null,
      locked: false,
      lockedMessage: null,
    };

  return {
    service: () => service,
    async setService(change) {
      const next = { ...service, ...change };
      await pool.query(
        `insert into helium_platform.service_config (config) values ($1)
         on conflict (only_row) do update set config = excluded.config`,
        [next],
      );
      service = next;
    },
    app,
    async patchApp(appId, appName, patch) {
      // Serialized, so that concurrent patches all apply.
      const written = lastWrite.then(async () => {
        const { config, changes } = applyPatch(app(appId), patch, appName);
        await pool.query(
          `insert into helium_platform.app_config (app_id, config) values ($1, $2)
           on conflict (app_id) do update set config = excluded.config`,
          [appId, config],
        );
        configs.set(appId, config);
        return changes.length === 0 ? `Nothing changed for ${appName}.` : changes.join(' ');
      });
      lastWrite = written.catch(() => undefined);
      return written;
    },
    isEnabled: (appId, scheduledEvent) => !disabledEvents.has(`${appId} ${scheduledEvent}`),
    async setEvent(appId, scheduledEvent, state) {
      if (state === 'Disabled') {
        await pool.query('insert into helium_platform.disabled_event values ($1, $2) on conflict do nothing', [
          appId,
          scheduledEvent,
        ]);
        disabledEvents.add(`${appId} ${scheduledEvent}`);
      } else {
        await pool.query('delete from helium_platform.disabled_event where app_id = $1 and scheduled_event = $2', [
          appId,
          scheduledEvent,
        ]);
        disabledEvents.delete(`${appId} ${scheduledEvent}`);
      }
    },
  };
}
