import { type App, type Credentials, findSignInError } from '@portal/contract/apps';
import { Invalid } from '@portal/kit/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { getOrigin } from '../../session/callers.ts';

/**
 * Verifies the credentials with the platform and opens a session, replacing the browser's previous
 * one. Throws Invalid before any request, NotSignedIn for wrong credentials, or the platform's
 * error.
 */
export async function signIn(
  { environments, callers, sessions, cookie, appLists, audit }: Dependencies,
  credentials: Credentials,
  baseUrl: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<readonly App[]> {
  const error = findSignInError(credentials);
  if (error) throw new Invalid(error);
  const environment = environments.require({ baseUrl });
  const actor = { username: credentials.userName, environment, origin: getOrigin(request), sessionId: null };
  const apps = await callers.checkCredentials(environment, credentials, request.ip).catch(async (error: unknown) => {
    await audit.write(actor, { action: 'session.sign-in', description: 'Sign-in failed', ...toOutcome(error) });
    throw error;
  });

  const before = cookie.read(request);
  if (before !== undefined) await sessions.end(before);
  const { token, sessionId } = await sessions.open(credentials.userName, environment.name, credentials);
  appLists.put(sessionId, apps);
  cookie.write(reply, token);
  await audit.write({ ...actor, sessionId }, { action: 'session.sign-in', description: 'Signed in', outcome: 'done' });
  return apps;
}
