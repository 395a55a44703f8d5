import * as z from 'zod/mini';
import { actionSchema } from './actions.ts';
import { endpoint } from './endpoint.ts';
import { environmentSchema } from './environments.ts';
import { light } from './rules.ts';

const externalLinkSchema = z.object({ label: z.string(), url: z.string() });

export const sessionSchema = z.object({
  username: z.string(),
  environment: environmentSchema,
  /** The configured name of the platform's apps, "Helium Apps" by default. */
  product: z.string(),
  links: z.array(externalLinkSchema),
  /**
   * For each action that this user may not perform here, the reason. All other actions are allowed.
   */
  refusals: z.partialRecord(actionSchema, z.string()),
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
