import * as z from 'zod/mini';
import { actionSchema } from './actions.ts';
import { appIdSchema } from './apps.ts';
import { distinct } from './distinct.ts';
import { endpoint } from './endpoint.ts';
import { environmentSchema } from './environments.ts';
import { light } from './rules.ts';

const externalLinkSchema = z.object({ label: z.string(), url: z.string() });

/** The reason for each action that is not allowed. */
const refusalsSchema = z.partialRecord(actionSchema, z.string());
export type Refusals = z.infer<typeof refusalsSchema>;

/**
 * The header of a client that reports use with `reportUse`. Its other calls do not count as use.
 * Any value counts, since a wrong one must not extend a session.
 */
export const reportsUseHeader = 'x-portal-reports-use';

/** Why a session that stays signed in without use changes and reveals nothing. */
export const readOnlyReason =
  'Your session is read-only, because it stays signed in without use. Sign in again to do this.';

/** When a session ends, unless it is used. */
const lifetimeSchema = z.object({
  /** Counted by the server; 0 without a session. */
  secondsLeft: z.number(),
  /** Whether use now would extend it. */
  canExtend: z.boolean(),
});
export type Lifetime = z.infer<typeof lifetimeSchema>;

export const sessionSchema = z.object({
  username: z.string(),
  environment: environmentSchema,
  /** The configured name of the platform's apps, "Helium Apps" by default. */
  product: z.string(),
  links: z.array(externalLinkSchema),
  /**
   * For each action that this user may not perform on anything here, the reason. Whether others are
   * allowed depends on the app or team: see `getRefusals`.
   */
  refusals: refusalsSchema,
  /** ISO instant when the session ends regardless of activity. */
  expiresAt: z.string(),
  /** The session ends after this many seconds without use, unless it is read-only. */
  idleSeconds: z.number(),
  lifetime: lifetimeSchema,
  /** Whether it changes nothing, and stays signed in without use. */
  isReadOnly: z.boolean(),
  /** The environments to which this session can switch without a sign-in. */
  keptEnvironments: z._default(z.array(z.string()), []),
  /** What the user has chosen, by name, as JSON: see `session-choices.ts`. */
  settings: z._default(z.record(z.string(), z.string()), {}),
});
export type Session = z.infer<typeof sessionSchema>;

export const getSession = endpoint({
  method: 'GET',
  path: '/portal-backend/api/session',
  summary: 'Get the signed-in user, the environment and the permissions',
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: sessionSchema,
});

/** Apps, what belongs to a team, or the statistics of a database server. */
const subjectSchema = z.object({
  appIds: z.optional(z.array(appIdSchema).check(z.maxLength(20), distinct())),
  team: z.optional(z.string().check(z.maxLength(200))),
  databaseHost: z.optional(z.string().check(z.maxLength(200))),
});

/**
 * For each subject, returns the reason for each change that the user may not make to it. Without
 * configured roles, the platform is asked about each app.
 */
export const getRefusals = endpoint({
  method: 'POST',
  path: '/portal-backend/api/session/refusals',
  summary: 'Get which changes to apps or teams the user may not make, and why',
  may: 'session',
  about: {},
  recorded: false,
  cost: light({ maxBodyBytes: 64 * 1024 }),
  request: z.object({ subjects: z.array(subjectSchema).check(z.maxLength(25)) }),
  response: z.array(refusalsSchema),
});

/**
 * Reports when a person last pressed a key or moved or pressed the pointer, and returns when the
 * session ends. Nothing else extends the session of a client that sends `reportsUseHeader`; without
 * that header, each call is use. Sockets never are.
 */
export const reportUse = endpoint({
  method: 'POST',
  path: '/portal-backend/api/session/use',
  summary: 'Report when a person last used the session, and get when it ends',
  // Open, because it must work while the platform is unavailable.
  may: 'open',
  about: {},
  recorded: false,
  cost: light(),
  request: z.object({
    /** Omitted if there was no use since the client's start. */
    secondsAgo: z.optional(z.number().check(z.minimum(0), z.maximum(1e9))),
  }),
  response: lifetimeSchema,
});

/**
 * Makes the session read-only until its end. It then ends only at `expiresAt`, so that a screen can
 * follow a log or a dashboard without anyone at it.
 */
export const makeSessionReadOnly = endpoint({
  method: 'POST',
  path: '/portal-backend/api/session/read-only',
  summary: 'Make the session read-only; it then stays signed in without use until its absolute end',
  may: 'session',
  about: {},
  recorded: { action: 'session.read-only', description: 'Session made read-only; it stays signed in without use' },
  cost: light(),
  request: null,
  response: z.object({ expiresAt: z.string() }),
});

export const deleteSession = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/session',
  summary: 'Sign out',
  // Open, because it must work whatever the platform says, and twice.
  may: 'open',
  about: {},
  recorded: { action: 'session.sign-out', description: 'Signed out' },
  cost: light(),
  request: null,
  response: z.object({ signedOut: z.literal(true) }),
});
