import * as z from 'zod/mini';
import { appIdSchema, credentialsSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));
/**
 * The specification defines `username` and `baseUrl`. The server takes both from the session and
 * rejects any other value.
 */
const appFields = { baseUrl: z.optional(shortText), appId: appIdSchema, credentials: z.optional(credentialsSchema) };
const changeFields = { ...appFields, username: z.optional(shortText) };

/** `findEntryPointError` rejects 0, with the specified message. */
const minutes = z.number().check(z.int(), z.gte(0), z.lte(100_000));

/** The last change and its author, so that concurrent editors notice each other. */
const changeSchema = z.object({
  username: z.string(),
  /** ISO instant. */
  at: z.string(),
  /** A sentence: "Entry point Nightly:closeOldVisits 15 → 20 min". */
  description: z.string(),
});
export type Change = z.infer<typeof changeSchema>;

const appConfigSchema = z.object({
  /** Minutes by entry point ("scope:name"). */
  processEntryPointTimeouts: z.record(z.string(), z.number()),
  maxDatabaseResults: z.number(),
  disabled: z.boolean(),
  locked: z.boolean(),
  disabledMessage: z.optional(z.nullable(z.string())),
  lockedMessage: z.optional(z.nullable(z.string())),
  /** The last change that any user made to this app through the portal. */
  lastChange: z.optional(z.nullable(changeSchema)),
  /** The change that Undo would revert: the last one made to this app in this session. */
  undoable: z.optional(z.nullable(changeSchema)),
});
export type AppConfig = z.infer<typeof appConfigSchema>;

export const getConfig = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/get-config/',
  summary: 'Get the configuration of an app',
  may: 'config.view',
  about: { app: 'appId' },
  recorded: false,
  cost: light(),
  request: z.object(appFields),
  response: appConfigSchema,
});

/**
 * `expected` is the value on the page when the user made the change: minutes, or null for "not
 * set". If the platform now has another value, the call fails with 409, so that no one overwrites a
 * change they have not seen.
 */
export const addEntryPoint = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/add-entry-point',
  summary: 'Set the timeout of an entry point',
  may: 'config.change',
  about: { app: 'appId' },
  recorded: { action: 'config.add-entry-point', description: 'Timeout of an entry point set' },
  cost: light(),
  request: z.object({
    ...changeFields,
    entryPoint: shortText,
    duration: minutes,
    expected: z.optional(z.nullable(z.number())),
  }),
  response: 'text',
});

export const removeEntryPoint = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/remove-entry-point',
  summary: 'Remove the timeout of an entry point',
  may: 'config.change',
  about: { app: 'appId' },
  recorded: { action: 'config.remove-entry-point', description: 'Timeout of an entry point removed' },
  cost: light(),
  request: z.object({
    ...changeFields,
    entryPoint: shortText,
    duration: z.optional(z.literal(0)),
    expected: z.optional(z.nullable(z.number())),
  }),
  response: 'text',
});

/**
 * Portal extension: removes the old entry point and adds the new one. Restores the old one if the
 * second step fails.
 */
export const updateEntryPoint = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/update-entry-point',
  summary: 'Change an entry point and its timeout in one step',
  may: 'config.change',
  about: { app: 'appId' },
  recorded: { action: 'config.update-entry-point', description: 'Entry point changed' },
  cost: light(),
  request: z.object({
    ...changeFields,
    oldEntryPoint: shortText,
    entryPoint: shortText,
    duration: minutes,
    expected: z.optional(z.nullable(z.number())),
  }),
  response: 'text',
});

export const setMaxDbResults = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/set-max-db-results',
  summary: 'Set the maximum number of rows a query of the app may return',
  may: 'config.change',
  about: { app: 'appId' },
  recorded: { action: 'config.set-max-db-results', description: 'Maximum number of rows set' },
  cost: light(),
  request: z.object({
    ...changeFields,
    maxDatabaseResults: z.number().check(z.int(), z.gte(1), z.lte(100_000)),
    expected: z.optional(z.number()),
  }),
  response: 'text',
});

/**
 * `disabledMessage` and `lockedMessage` are fixed: the server ignores the values in the payload and
 * sends its own.
 */
export const disableApp = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/disable-app',
  summary: 'Disable or enable an app',
  may: 'config.change',
  about: { app: 'appId' },
  recorded: { action: 'config.disable-app', description: 'App disabled or enabled' },
  cost: light(),
  request: z.object({
    ...changeFields,
    disabled: z.boolean(),
    disabledMessage: z.optional(shortText),
    expected: z.optional(z.boolean()),
  }),
  response: 'text',
});

export const lockApp = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/lock-app',
  summary: 'Lock or unlock an app',
  may: 'config.change',
  about: { app: 'appId' },
  recorded: { action: 'config.lock-app', description: 'App locked or unlocked' },
  cost: light(),
  request: z.object({
    ...changeFields,
    locked: z.boolean(),
    lockedMessage: z.optional(shortText),
    expected: z.optional(z.boolean()),
  }),
  response: 'text',
});

/**
 * Portal extension: reverts the last change made to this app in this session. Fails with 409 if
 * another user has changed the same value since.
 */
export const undoConfigChange = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/undo',
  summary: 'Revert the last change made in this session to this app',
  may: 'config.change',
  about: { app: 'appId' },
  recorded: { action: 'config.undo', description: 'Undo: the last change' },
  cost: light(),
  request: z.object(changeFields),
  response: 'text',
});

export const fixedMessages = {
  disabled: 'This app is disabled. Please contact support.',
  locked: 'This app is locked. Please contact support.',
} as const;

export const viewScope = 'processViewResponse';

/** In minutes: 1, then 5 to 120 in steps of 5. */
export const timeoutChoices: readonly number[] = [1, ...Array.from({ length: 24 }, (_, index) => (index + 1) * 5)];

/** 1, then 500 to 100,000 in steps of 500. */
export const maxDbResultsChoices: readonly number[] = [
  1,
  ...Array.from({ length: 200 }, (_, index) => (index + 1) * 500),
];

export type Tone = 'primary' | 'success' | 'warning' | 'danger';

/**
 * Returns the tone of a timeout. The specification has one rule for the chooser and one for table
 * rows.
 */
export function getTimeoutTone(timeoutMins: number, mode: 'chooser' | 'row'): Tone {
  if (mode === 'row') return timeoutMins >= 45 ? 'danger' : timeoutMins >= 20 ? 'warning' : 'primary';
  if (timeoutMins > 45) return 'danger';
  if (timeoutMins >= 20) return 'warning';
  return timeoutMins === 0 ? 'primary' : 'success';
}

export function getMaxDbResultsTone(maxDatabaseResults: number): Tone {
  if (maxDatabaseResults > 6000) return 'danger';
  return maxDatabaseResults >= 2500 ? 'warning' : 'success';
}

export interface EntryPointDraft {
  readonly scope: string;
  readonly name: string;
  readonly timeoutMins: number;
}

/** Returns "scope:name", with both parts trimmed. */
export function formatEntryPoint(draft: Pick<EntryPointDraft, 'scope' | 'name'>): string {
  return `${draft.scope.trim()}:${draft.name.trim()}`;
}

/** The inverse of formatEntryPoint. The scope ends at the first colon. */
export function parseEntryPoint(entryPoint: string): { scope: string; name: string } {
  const colon = entryPoint.indexOf(':');
  return colon < 0
    ? { scope: '', name: entryPoint }
    : { scope: entryPoint.slice(0, colon), name: entryPoint.slice(colon + 1) };
}

/** Returns the first error of an entry point, in the specified order and wording, or null. */
export function findEntryPointError(draft: EntryPointDraft): string | null {
  if (draft.scope.trim() === '') return 'Please enter Entry Point Scope Name';
  if (draft.name.trim() === '') return 'Please enter Entry Point';
  if (!Number.isFinite(draft.timeoutMins) || draft.timeoutMins <= 0) return 'Please select a timeout value';
  return null;
}
