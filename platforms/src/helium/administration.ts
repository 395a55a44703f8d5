/** The calls that administer apps, as this installation spells them. */
import { Conflict, Invalid, NotFound, Refused } from '@portal/kit/problems';
import { callForJson, callForText, type HeliumAddress, type HeliumCredentials } from './call.ts';
import { type AppConfigReading, needsCurrentConfig, readAppConfig, writeAppConfig } from './dialect/app-config.ts';
import { readAppList } from './dialect/app-list.ts';
import type { HeliumDialect } from './dialect/dialect.config.ts';
import { type ListReading, UnreadableResponse } from './dialect/fields.ts';
import { fillPath } from './dialect/json-path.ts';
import { readScheduledEvents, splitName, writeState } from './dialect/scheduled-events.ts';
import type { HeliumApp, HeliumAppConfigPatch, HeliumEventToggle, HeliumScheduledEvent } from './wire.ts';

export interface CallContext {
  readonly credentials: HeliumCredentials;
  readonly signal?: AbortSignal | undefined;
}

export interface AppCallContext extends CallContext {
  readonly appId: string;
}

/**
 * `unknown`: the platform cannot be asked without changing something. `unconfirmed`: it might be,
 * because no write style is configured.
 */
export type ChangeRight = 'allowed' | 'refused' | 'unknown' | 'unconfirmed';

/** Throws as the client does. */
export interface Administration {
  /** Returns the apps these credentials can see. */
  listApps(context: CallContext): Promise<ListReading<HeliumApp>>;
  getAppConfig(context: AppCallContext): Promise<AppConfigReading>;
  /** Returns the platform's own text, which describes the change. */
  patchAppConfig(context: AppCallContext & { readonly patch: HeliumAppConfigPatch }): Promise<string>;
  /**
   * Finds whether the platform lets these credentials change the app, with a merge patch that
   * changes nothing. It is sent only where `merge` is configured: a platform that replaces would
   * lose every setting.
   */
  findChangeRight(context: AppCallContext): Promise<ChangeRight>;
  listScheduledEvents(context: AppCallContext): Promise<ListReading<HeliumScheduledEvent>>;
  toggleScheduledEvent(context: AppCallContext & HeliumEventToggle): Promise<string>;
}

export function createAdministration(address: HeliumAddress, dialect: HeliumDialect): Administration {
  const { appList, appConfig, scheduledEvents } = dialect;
  const takeTurns = createTurns();
  return {
    listApps: (context) => callForJson(address, { ...context, ...appList.read }, (list) => readAppList(appList, list)),

    getAppConfig: ({ appId, ...context }) =>
      callForJson(address, { ...context, ...forApp(appConfig.read, appId) }, (config) =>
        readAppConfig(appConfig, config),
      ),

    async patchAppConfig({ appId, patch, ...context }) {
      const write = { ...context, ...forApp(appConfig.write, appId) };
      if (!needsCurrentConfig(appConfig, patch))
        return toSentence(await callForText(address, { ...write, body: writeAppConfig(appConfig, patch) }));
      return takeTurns(appId, async () => {
        const body = await callForJson(address, { ...context, ...forApp(appConfig.read, appId) }, (current) =>
          writeAppConfig(appConfig, patch, current),
        );
        return toSentence(await callForText(address, { ...write, body }));
      });
    },

    async findChangeRight({ appId, ...context }) {
      if (appConfig.write.style !== 'merge') return appConfig.write.style === undefined ? 'unconfirmed' : 'unknown';
      try {
        const write = { ...context, ...forApp(appConfig.write, appId) };
        await callForText(address, { ...write, body: writeAppConfig(appConfig, {}) });
        return 'allowed';
      } catch (error) {
        if (error instanceof Refused || error instanceof NotFound) return 'refused';
        if (error instanceof Invalid || error instanceof Conflict) return 'unknown';
        throw error;
      }
    },

    listScheduledEvents: ({ appId, ...context }) =>
      callForJson(address, { ...context, ...forApp(scheduledEvents.read, appId) }, (list) =>
        readScheduledEvents(scheduledEvents, list),
      ),

    async toggleScheduledEvent({ appId, scheduledEvent, state, ...context }) {
      const name = requireName(scheduledEvent);
      const write = { ...context, ...forApp(scheduledEvents.write, appId, name) };
      const event = { ...name, state };
      const body =
        scheduledEvents.write.style === 'merge'
          ? writeState(scheduledEvents, event)
          : await callForJson(address, { ...context, ...forApp(scheduledEvents.read, appId) }, (list) =>
              writeState(scheduledEvents, event, list),
            );
      if (body === undefined) throw noSuchEvent(scheduledEvent);
      return toSentence(await callForText(address, { ...write, body }));
    },
  };
}

function forApp(
  { method, path }: HeliumDialect['appConfig']['read'],
  appId: string,
  event: Readonly<Record<string, string>> = {},
) {
  return { method, path: fillPath(path, { appId, ...event }) };
}

function requireName(scheduledEvent: string) {
  try {
    return splitName(scheduledEvent);
  } catch (error) {
    throw error instanceof UnreadableResponse ? noSuchEvent(scheduledEvent) : error;
  }
}

function noSuchEvent(scheduledEvent: string): NotFound {
  return new NotFound(`The Helium platform has no scheduled function ${scheduledEvent}.`);
}

/** A platform may answer a change with nothing, or with data. */
function toSentence(text: string): string {
  return /^\s*([[{"]|$)/.test(text) ? 'The Helium platform accepted the change.' : text;
}

/**
 * Returns a function that runs the changes of an app one after the other, because a change that
 * sends everything would undo another one since its reading.
 */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(appId: string, change: () => Promise<Result>): Promise<Result> => {
    const result = (last.get(appId) ?? Promise.resolve()).then(change);
    const end = result.catch(() => undefined);
    last.set(appId, end);
    try {
      return await result;
    } finally {
      if (last.get(appId) === end) last.delete(appId);
    }
  };
}
