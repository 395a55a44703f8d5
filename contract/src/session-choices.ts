/** What a user chooses within a session. Not part of the sign-in page, which has to be small. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

/** A user has at most this many settings; a new one replaces the one that was saved longest ago. */
export const maxSettings = 200;

/**
 * Saves a choice of the user, such as starred apps, for every browser in which they sign in to this
 * environment. Only the page knows its meaning.
 */
export const saveSetting = endpoint({
  method: 'PUT',
  path: '/portal-backend/api/session/settings',
  summary: 'Save a setting of the user',
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
  request: z.object({
    name: z.string().check(z.minLength(1), z.maxLength(100)),
    /** JSON. */
    value: z.string().check(z.maxLength(8_000)),
  }),
  response: z.object({ saved: z.literal(true) }),
});

/**
 * Switches to the session that this one keeps in another environment, with a new token. The old
 * token stops working. `switched` is false if there is none and a sign-in is needed.
 */
export const switchEnvironment = endpoint({
  method: 'POST',
  path: '/portal-backend/api/session/switch',
  summary: 'Switch to another environment in which the user is signed in',
  // Open, because the platform of the current environment may be unavailable.
  may: 'open',
  about: {},
  recorded: { action: 'session.switch', description: 'Switched to this environment' },
  cost: light(),
  request: z.object({ to: z.string().check(z.maxLength(200)) }),
  response: z.object({ switched: z.boolean() }),
});
