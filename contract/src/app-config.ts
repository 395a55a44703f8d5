import * as z from 'zod/mini';
import { appIdSchema, credentialsSchema } from './apps.ts';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));
/**
 * `username` and `baseUrl` are the specification's; the server takes both from the session and
 * refuses others.
 */
const about = { baseUrl: z.optional(short), appId: appIdSchema, credentials: z.optional(credentialsSchema) };
const byUser = { ...about, username: z.optional(short) };

/** That it is more than 0 is said in the specified words, by `findEntryPointFault`. */
const minutes = z.number().check(z.int(), z.gte(0), z.lte(100_000));

/** Who changed something last, so that two people at once see each other. */
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
  /** The last change made through the portal to this app, by anybody. */
  lastChange: z.optional(z.nullable(changeSchema)),
  /** What Undo would revert: the last change made in this session to this app. */
  undoable: z.optional(z.nullable(changeSchema)),
});
export type AppConfig = z.infer<typeof appConfigSchema>;

export const getConfig = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/get-config',
  summary: 'The configuration of an app',
  access: 'session',
  request: z.object(about),
  response: appConfigSchema,
});

/**
 * `expected` is what the page showed when the change was made: minutes or null for "not set". When
 * the platform has something else by then the call is refused with 409, so that nobody overwrites a
 * change they have not seen.
 */
export const addEntryPoint = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/add-entry-point',
  summary: 'Set the timeout of an entry point',
  access: 'session',
  request: z.object({
    ...byUser,
    entryPoint: short,
    duration: minutes,
    expected: z.optional(z.nullable(z.number())),
  }),
  response: 'text',
});

export const removeEntryPoint = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/remove-entry-point',
  summary: 'Remove the timeout of an entry point',
  access: 'session',
  request: z.object({
    ...byUser,
    entryPoint: short,
    duration: z.optional(z.literal(0)),
    expected: z.optional(z.nullable(z.number())),
  }),
  response: 'text',
});

/**
 * Ours: removes the old entry point and adds the new; puts the old one back when the second step
 * fails.
 */
export const updateEntryPoint = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/update-entry-point',
  summary: 'Change an entry point and its timeout in one step',
  access: 'session',
  request: z.object({
    ...byUser,
    oldEntryPoint: short,
    entryPoint: short,
    duration: minutes,
    expected: z.optional(z.nullable(z.number())),
  }),
  response: 'text',
});

export const setMaxDbResults = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/set-max-db-results',
  summary: 'Set how many rows a query of the app may return',
  access: 'session',
  request: z.object({
    ...byUser,
    maxDatabaseResults: z.number().check(z.int(), z.gte(1), z.lte(100_000)),
    expected: z.optional(z.number()),
  }),
  response: 'text',
});

/**
 * `disabledMessage` and `lockedMessage` are fixed: the server sends its own whatever the payload
 * says.
 */
export const disableApp = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/disable-app',
  summary: 'Disable or enable an app',
  access: 'session',
  request: z.object({
    ...byUser,
    disabled: z.boolean(),
    disabledMessage: z.optional(short),
    expected: z.optional(z.boolean()),
  }),
  response: 'text',
});

export const lockApp = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/lock-app',
  summary: 'Lock or unlock an app',
  access: 'session',
  request: z.object({
    ...byUser,
    locked: z.boolean(),
    lockedMessage: z.optional(short),
    expected: z.optional(z.boolean()),
  }),
  response: 'text',
});

/**
 * Ours: reverts the last change made in this session to this app; 409 when somebody changed the
 * same since.
 */
export const undoConfigChange = endpoint({
  method: 'POST',
  path: '/portal-backend/api/config/undo',
  summary: 'Revert the last change made in this session to this app',
  access: 'session',
  request: z.object(byUser),
  response: 'text',
});

export const fixedMessages = {
  disabled: 'This app is disabled. Please contact support.',
  locked: 'This app is locked. Please contact support.',
} as const;

export const viewScope = 'processViewResponse';

/** 1, then 5 to 120 in steps of 5 (minutes). */
export const timeoutChoices: readonly number[] = [1, ...Array.from({ length: 24 }, (_, index) => (index + 1) * 5)];

/** 1, then 500 to 100 000 in steps of 500. */
export const maxDbResultsChoices: readonly number[] = [
  1,
  ...Array.from({ length: 200 }, (_, index) => (index + 1) * 500),
];

export type Tone = 'primary' | 'success' | 'warning' | 'danger';

/** The tone of a timeout: the chooser and the table rows follow two rules, both specified. */
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

/** "scope:name", trimmed. */
export function entryPointOf(draft: Pick<EntryPointDraft, 'scope' | 'name'>): string {
  return `${draft.scope.trim()}:${draft.name.trim()}`;
}

/** The inverse of entryPointOf: the scope ends at the first colon. */
export function splitEntryPoint(entryPoint: string): { scope: string; name: string } {
  const colon = entryPoint.indexOf(':');
  return colon < 0
    ? { scope: '', name: entryPoint }
    : { scope: entryPoint.slice(0, colon), name: entryPoint.slice(colon + 1) };
}

/** The first thing wrong with an entry point, in the specified order and words, or null. */
export function findEntryPointError(draft: EntryPointDraft): string | null {
  if (draft.scope.trim() === '') return 'Please enter Entry Point Scope Name';
  if (draft.name.trim() === '') return 'Please enter Entry Point';
  if (!Number.isFinite(draft.timeoutMins) || draft.timeoutMins <= 0) return 'Please select a timeout value';
  return null;
}
