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
  /** The session ends after this many seconds without a call. */
  idleSeconds: z.number(),
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
