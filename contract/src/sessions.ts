import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));

const signedInSessionSchema = z.object({
  id: z.string(),
  username: z.string(),
  /** ISO instant of the sign-in. */
  createdAt: z.string(),
  /** ISO instant of the last use, recorded once a minute. */
  lastSeenAt: z.string(),
  /** Where it was opened. */
  address: z.nullable(z.string()),
  /** Such as 'Firefox on Windows'; null if unknown. */
  browser: z.nullable(z.string()),
  /** Whether it changes nothing, and stays signed in without use. */
  isReadOnly: z.boolean(),
  /** Where it was last used, recorded once a minute. */
  lastAddress: z.nullable(z.string()),
  lastBrowser: z.nullable(z.string()),
  /** Whether this is the caller's own session. */
  isCurrent: z.boolean(),
});
export type SignedInSession = z.infer<typeof signedInSessionSchema>;

const endedSchema = z.object({
  /** How many sessions were ended. */
  ended: z.number(),
});

export const getSessions = endpoint({
  method: 'GET',
  path: '/portal-backend/api/sessions',
  summary: "List the caller's sessions in the environment; an administrator sees those of all users",
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.object({ sessions: z.array(signedInSessionSchema) }),
});

export const endSession = endpoint({
  method: 'POST',
  path: '/portal-backend/api/sessions/end',
  summary: 'End a session; only an administrator can end those of other users',
  may: 'session',
  about: {},
  recorded: { action: 'session.end', description: 'Session ended' },
  cost: light(),
  request: z.object({ id: z.string().check(z.maxLength(100)) }),
  response: endedSchema,
});

export const endSessionsOfUser = endpoint({
  method: 'POST',
  path: '/portal-backend/api/sessions/end-all',
  summary: "End all sessions of a user except the caller's own; the caller's other sessions by default",
  may: 'session',
  about: {},
  recorded: { action: 'session.end', description: 'Sessions ended' },
  cost: light(),
  request: z.object({ user: z.optional(shortText) }),
  response: endedSchema,
});
