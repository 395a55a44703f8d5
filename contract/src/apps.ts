import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** Longest credentials and names anybody sends; more is refused before any work. */
const short = z.string().check(z.maxLength(500));

export const credentialsSchema = z.object({ userName: short, password: short });
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
 * The sign-in: with credentials it opens a session (cookie) and answers the apps; without, it
 * answers the apps of the session it is called in.
 */
export const getApps = endpoint({
  method: 'POST',
  path: '/portal-backend/api/apps',
  summary: 'Sign in, and list the apps the platform shows these credentials',
  access: 'open',
  request: z.object({ credentials: z.optional(credentialsSchema), baseUrl: z.optional(short) }),
  response: z.array(appSchema),
});

export const signInTexts = {
  help: 'Use your Helium API credentials',
  userNameRequired: 'Please enter your Helium API username',
  passwordRequired: 'Please enter your Helium API password',
  wrongCredentials: 'Either the username or password is incorrect',
} as const;

/**
 * The first thing wrong with what was typed, or null: the user name is asked for before the
 * password.
 */
export function findSignInError(credentials: Credentials): string | null {
  if (credentials.userName.trim() === '') return signInTexts.userNameRequired;
  if (credentials.password === '') return signInTexts.passwordRequired;
  return null;
}
