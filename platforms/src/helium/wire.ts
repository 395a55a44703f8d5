/**
 * The requests and responses of the Helium platform. Paths and shapes are Helium's own and do not
 * depend on the portal. Unknown fields are ignored because the platform may grow.
 */
import { z } from 'zod';

export const heliumPaths = {
  apps: '/helium/api/v2/app',
  logging: '/api/ws2/logging',
  serviceConfig: '/api/1/app-exec-admin/service-config/',
  appConfig: (appId: string) => `/api/1/app-exec-admin/app-config/${encodeURIComponent(appId)}`,
  scheduledEvents: (appId: string) => `/api/1/app-exec-admin/scheduled-events/${encodeURIComponent(appId)}`,
  login: (appId: string) => `/api/1/login/${encodeURIComponent(appId)}`,
  data: (appId: string) => `/api/data/v1/${encodeURIComponent(appId)}`,
} as const;

export const HeliumApp = z.object({
  id: z.guid(),
  name: z.string(),
  fqdn: z.string(),
  schemaName: z.string(),
});
export type HeliumApp = z.infer<typeof HeliumApp>;

/**
 * `key` is a level (`INFO`, `WARNING`, `SEVERE`) or an error class (`Runtime Error`); a stack trace
 * is one value.
 */
export const HeliumLogRecord = z.object({
  id: z.string(),
  key: z.string(),
  value: z.string(),
  millis: z.number(),
  appId: z.string(),
  appUserId: z.string().nullable(),
});
export type HeliumLogRecord = z.infer<typeof HeliumLogRecord>;

const wholeAboveZero = z.int().min(1);

/**
 * Time-outs in minutes by `Unit:function` or `processViewResponse:View`; a missing entry means the
 * service's default.
 */
export const HeliumAppConfig = z.object({
  processEntryPointTimeouts: z.record(z.string(), wholeAboveZero),
  maxDatabaseResults: wholeAboveZero,
  disabled: z.boolean(),
  disabledMessage: z.string().nullable(),
  locked: z.boolean(),
  lockedMessage: z.string().nullable(),
});
export type HeliumAppConfig = z.infer<typeof HeliumAppConfig>;

/**
 * An RFC 7396 merge patch: sets the given fields; `null` removes the time-out of an entry point.
 */
export const HeliumAppConfigPatch = z.strictObject({
  processEntryPointTimeouts: z
    .record(
      z.string().regex(/^[^\s:][^:]*:[^\s:][^:]*$/, 'an entry point is written Scope:name'),
      wholeAboveZero.nullable(),
    )
    .optional(),
  maxDatabaseResults: wholeAboveZero.optional(),
  disabled: z.boolean().optional(),
  disabledMessage: z.string().nullable().optional(),
  locked: z.boolean().optional(),
  lockedMessage: z.string().nullable().optional(),
});
export type HeliumAppConfigPatch = z.infer<typeof HeliumAppConfigPatch>;

/** Process time-out in minutes, outbound time-out in seconds. */
export const HeliumServiceConfig = z.object({
  processTimeoutGlobalDefault: wholeAboveZero,
  maxDatabaseResults: wholeAboveZero,
  outboundApiTimeoutGlobalDefault: wholeAboveZero,
});
export type HeliumServiceConfig = z.infer<typeof HeliumServiceConfig>;

export const HeliumEventState = z.enum(['Enabled', 'Disabled']);
export type HeliumEventState = z.infer<typeof HeliumEventState>;

/** `schedule` is minute, hour, day of month, month, day of week. */
export const HeliumScheduledEvent = z.object({
  schedule: z.string(),
  unit: z.string(),
  event: z.string(),
  state: HeliumEventState,
});
export type HeliumScheduledEvent = z.infer<typeof HeliumScheduledEvent>;

/** `scheduledEvent` is `Unit:event`. */
export const HeliumEventToggle = z.strictObject({ scheduledEvent: z.string(), state: HeliumEventState });
export type HeliumEventToggle = z.infer<typeof HeliumEventToggle>;

export const HeliumDataRecord = z.object({
  uuid: z.string(),
  attributes: z.record(z.string(), z.unknown()),
  relationships: z.record(z.string(), z.string()),
});
export type HeliumDataRecord = z.infer<typeof HeliumDataRecord>;
