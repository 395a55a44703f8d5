/**
 * How one Helium installation spells the calls that administer it. They are not documented, so
 * everything that may differ is a setting. The defaults are those of the simulator.
 */
import { z } from 'zod';

const template = z.string().regex(/^\//, 'starts with a slash');

const readCall = (method: Method, path: string) =>
  z
    .strictObject({ method: z.enum(methods).default(method), path: template.default(path) })
    .prefault({})
    .describe("The call that reads; `{appId}` in its path stands for the app's id.");

const methods = ['GET', 'POST', 'PUT', 'PATCH'] as const;
export type Method = (typeof methods)[number];

const writeCall = (path: string) => ({
  method: z.enum(methods).default('POST'),
  path: template.default(path),
});

const writeStyle = z.enum(['merge', 'whole']);
const styles = '`merge` sends only what changes; `whole` reads first and sends everything, with unknown fields.';

const position = z
  .string()
  .min(1)
  .default('$')
  .describe('Where it is in the response: `$` is the response itself, `data.items` a field of a field.');

const field = (name: string) => z.string().min(1).default(name);

const spelling = z.union([z.string(), z.number(), z.boolean()]);
export type Spelling = z.infer<typeof spelling>;

const flag = z
  .strictObject({ yes: spelling.default(true), no: spelling.default(false) })
  .prefault({})
  .describe('The values of the field.');

const appList = z.strictObject({
  read: readCall('GET', '/helium/api/v2/app'),
  list: position,
  fields: z
    .strictObject({ id: field('id'), name: field('name'), fqdn: field('fqdn'), schemaName: field('schemaName') })
    .prefault({})
    .describe("The platform's name of each field. A dot leads into a field: `database.schema`."),
});
export type AppListDialect = z.output<typeof appList>;

const timeouts = z.strictObject({
  unit: z.enum(['minutes', 'seconds', 'milliseconds']).default('minutes'),
  form: z
    .enum(['object', 'list'])
    .default('object')
    .describe('`object` has entry points as names; `list` has one object for each.'),
  fields: z
    .strictObject({ entryPoint: field('entryPoint'), timeout: field('timeout') })
    .prefault({})
    .describe('The fields of an object of the list.'),
});
export type TimeoutsDialect = z.output<typeof timeouts>;

const appConfigPath = '/api/1/app-exec-admin/app-config/{appId}';

const appConfig = z.strictObject({
  read: readCall('GET', appConfigPath),
  write: z
    .strictObject({
      ...writeCall(appConfigPath),
      // Without a default, because `merge` also lets the portal send an empty change to learn a
      // user's rights.
      style: writeStyle.optional().meta({
        description: `${styles} Set \`merge\` only once a test app has confirmed that the platform keeps what is not sent. Until a style is set, changes are sent as with \`merge\`, and the platform is never asked who may change an app.`,
        example: 'merge',
      }),
    })
    .prefault({})
    .describe('The call that changes settings.'),
  object: position,
  fields: z
    .strictObject({
      processEntryPointTimeouts: field('processEntryPointTimeouts'),
      maxDatabaseResults: field('maxDatabaseResults'),
      disabled: field('disabled'),
      disabledMessage: field('disabledMessage'),
      locked: field('locked'),
      lockedMessage: field('lockedMessage'),
    })
    .prefault({})
    .describe("The platform's name of each field."),
  timeouts: timeouts.prefault({}).describe('The process timeouts of entry points.'),
  disabled: flag,
  locked: flag,
});
export type AppConfigDialect = z.output<typeof appConfig>;

const scheduledEventsPath = '/api/1/app-exec-admin/scheduled-events/{appId}';

const scheduledEvents = z.strictObject({
  read: readCall('GET', scheduledEventsPath),
  write: z
    .strictObject({
      ...writeCall(scheduledEventsPath),
      style: writeStyle.default('merge').describe(styles),
      fields: z
        .strictObject({ unit: field('scheduledEvent'), event: field('scheduledEvent'), state: field('state') })
        .prefault({})
        .describe('The fields to send with `style: merge`. One field for both has `Unit:event`.'),
    })
    .prefault({})
    .describe('The call that enables and disables; its path may also have `{unit}` and `{event}`.'),
  list: position,
  fields: z
    .strictObject({
      schedule: field('schedule'),
      unit: field('unit'),
      event: field('event'),
      state: field('state'),
    })
    .prefault({})
    .describe("The platform's name of each field. One field for `unit` and `event` has `Unit:event`."),
  states: z
    .strictObject({ enabled: spelling.default('Enabled'), disabled: spelling.default('Disabled') })
    .prefault({})
    .describe('The values of the field `state`.'),
});
export type ScheduledEventsDialect = z.output<typeof scheduledEvents>;

export const heliumDialect = z.strictObject({
  appList: appList.prefault({}).describe('The list of apps.'),
  appConfig: appConfig.prefault({}).describe('The configuration of an app.'),
  scheduledEvents: scheduledEvents.prefault({}).describe('The scheduled functions of an app.'),
});
export type HeliumDialect = z.output<typeof heliumDialect>;

export const defaultDialect: HeliumDialect = heliumDialect.parse({});
