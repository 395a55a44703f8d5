import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

/** The maximum length of credentials and names. The server rejects longer ones before any work. */
const shortText = z.string().check(z.maxLength(500));

export const credentialsSchema = z.object({ userName: shortText, password: shortText });
export type Credentials = z.infer<typeof credentialsSchema>;

export const appIdSchema = z.string().check(z.minLength(1), z.maxLength(100));

export const appSchema = z.object({
  id: z.string(),
  name: z.string(),
  fqdn: z.string(),
  schemaName: z.string(),
});
export type App = z.infer<typeof appSchema>;

/**
 * Signs in. With credentials, opens a session (cookie) and returns its apps. Without credentials,
 * returns the apps of the current session.
 *
 * Open, because a sign-in has no session yet. So the handler itself requires the session and its
 * right to view apps where no credentials are sent, and records the sign-in.
 */
export const getApps = endpoint({
  method: 'POST',
  path: '/portal-backend/api/apps',
  summary: 'Sign in and list the apps that these credentials can access',
  may: 'open',
  about: {},
  recorded: { action: 'session.sign-in', description: 'Signed in' },
  cost: light(),
  request: z.object({
    credentials: z.optional(credentialsSchema),
    baseUrl: z.optional(shortText),
    /**
     * Portal extension: whether the browser's session of the same user in another environment is
     * kept, so that `switchEnvironment` finds it. Otherwise it ends.
     */
    keepsSession: z.optional(z.boolean()),
  }),
  response: z.array(appSchema),
});

/**
 * Portal extension: the header of a list of apps that is only the last known one, because the
 * platform does not return it now. Contains the encoded reason.
 */
export const lastKnownAppsHeader = 'portal-last-known-apps';

export const signInTexts = {
  environmentRequired: 'Please select an environment',
  help: 'Use your Helium API credentials',
  userNameRequired: 'Please enter your Helium API username',
  passwordRequired: 'Please enter your Helium API password',
  wrongCredentials: 'Either the username or password is incorrect',
} as const;

/**
 * Returns the first error of the sign-in form, or null. The user name is checked before the
 * password.
 */
export function findSignInError(credentials: Credentials): string | null {
  if (credentials.userName.trim() === '') return signInTexts.userNameRequired;
  if (credentials.password === '') return signInTexts.passwordRequired;
  return null;
}
