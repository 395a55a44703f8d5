import { type App, type Credentials, findSignInError } from '@portal/contract/apps';
import { Invalid, TooMany } from '@portal/kit/problems';
import type { ListReading } from '@portal/platforms/helium/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { getOrigin } from '../../session/callers.ts';

/**
 * Verifies the credentials with the platform and opens a session. The browser's previous one ends,
 * unless it is that of the same user in another environment and the user asked to keep it. Throws
 * Invalid before any request, NotSignedIn for wrong credentials, or the platform's error.
 */
export async function signIn(
  { environments, callers, sessions, cookie, devices, deviceCookie, appLists, audit }: Dependencies,
  credentials: Credentials,
  {
    baseUrl,
    keepsSession = false,
  }: { readonly baseUrl?: string | undefined; readonly keepsSession?: boolean | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ListReading<App>> {
  const error = findSignInError(credentials);
  if (error) throw new Invalid(error);
  const environment = environments.require({ baseUrl });
  const actor = { username: credentials.userName, environment, origin: getOrigin(request), sessionId: null };
  const sentDeviceToken = deviceCookie.read(request);
  const from = { address: request.ip, deviceToken: sentDeviceToken };
  const list = await callers.checkCredentials(environment, credentials, from).catch(async (error: unknown) => {
    // The failures that cause a delay are recorded. Recording delayed attempts as well would let
    // anyone fill the audit trail without asking the platform.
    if (!(error instanceof TooMany))
      await audit.write(actor, { action: 'session.sign-in', description: 'Sign-in failed', ...toOutcome(error) });
    throw error;
  });
  const deviceToken = await devices.remember(sentDeviceToken, environment.name, credentials.userName);

  const sentToken = cookie.read(request);
  const before = sentToken === undefined ? undefined : await sessions.find(sentToken, { fresh: true });
  const { token, sessionId } = await sessions.open(credentials.userName, environment.name, credentials, actor.origin);
  const isKept = keepsSession && before?.username === credentials.userName && !before.isReadOnly;
  if (before && isKept && before.environment !== environment.name) await sessions.keep(before.id, sessionId);
  else if (before) await sessions.endById(before.id);
  appLists.put(sessionId, list);
  cookie.write(reply, token);
  deviceCookie.write(reply, deviceToken);
  await audit.write({ ...actor, sessionId }, { action: 'session.sign-in', description: 'Signed in', outcome: 'done' });
  return list;
}
