import type { App } from '@portal/contract/apps';
import { signInTexts } from '@portal/contract/apps';
import { reportsUseHeader } from '@portal/contract/session';
import { Invalid, NotSignedIn, Refused, Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { ListReading } from '@portal/platforms/helium/client';
import type { FastifyRequest } from 'fastify';
import type { Actor, AuditTrail, CallOrigin } from '../audit/audit-trail.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { hashParts } from '../hash-parts.ts';
import type { Environments, ServedEnvironment } from '../platform/environments.ts';
import type { AppLists } from './app-lists.ts';
import { readBasicCredentials } from './basic-credentials.ts';
import type { Caller, PlatformCredentials } from './caller.ts';
import { findAddressClaim, listAtBase, readEnvironmentClaim } from './environment-claim.ts';
import type { SessionOrigins } from './session-origins.ts';
import type { SessionRights } from './session-rights.ts';
import type { Session, Sessions } from './sessions.ts';
import type { SignInAttempt, SignInGuard } from './sign-in-guard.ts';
import type { TokenCookie } from './token-cookie.ts';

export interface CallersOptions {
  readonly environments: Environments;
  readonly sessions: Sessions;
  readonly cookie: TokenCookie;
  readonly appLists: AppLists;
  readonly guard: SignInGuard;
  readonly rights: SessionRights;
  readonly origins: SessionOrigins;
  readonly audit: AuditTrail;
}

const refusedBasic = { action: 'session.basic', description: 'HTTP Basic refused', outcome: 'refused' } as const;

/** Identifies callers. */
export class Callers {
  readonly #options: CallersOptions;
  /** The environment at a base that accepted some credentials, so that the others are not asked. */
  readonly #accepting = new ExpiringCache<ServedEnvironment>({ ttlMs: 600_000 });

  constructor(options: CallersOptions) {
    this.#options = options;
    options.sessions.onEnd((sessionId) => options.appLists.invalidate(sessionId));
  }

  /**
   * Identifies the caller by `Authorization: Basic` if sent, otherwise by the session cookie;
   * undefined if neither is valid. Does not ask whether the platform still accepts a session. A
   * call is use, unless its client reports use itself; opening a socket never is.
   */
  async find(request: FastifyRequest): Promise<Caller | undefined> {
    const basic = readBasicCredentials(request);
    if (basic) return this.#basicCaller(request, basic);
    const token = this.#options.cookie.read(request);
    const session = token === undefined ? undefined : await this.#options.sessions.find(token);
    const isUse = !request.ws && request.headers[reportsUseHeader] === undefined;
    if (session && isUse) this.#options.sessions.saveUse(session.id);
    return session && this.#sessionCaller(request, session);
  }

  /**
   * Throws NotSignedIn if the caller is not signed in, or if the platform no longer accepts the
   * session, which ends it. While the platform is unavailable, the session admits to what the
   * portal stores itself; whatever is about apps requires their list, and so does every change.
   */
  async require(request: FastifyRequest): Promise<Caller> {
    const caller = await this.find(request);
    if (!caller) throw new NotSignedIn('You are not signed in, or your session has ended.');
    // `find` has just asked with HTTP Basic.
    if (caller.sessionId !== null) await confirm(caller);
    return caller;
  }

  /**
   * Like `require`, before the body is read. Returns undefined for HTTP Basic credentials whose
   * environment only the body can name: `require` identifies them afterwards.
   */
  async requireBeforeBody(request: FastifyRequest): Promise<Caller | undefined> {
    const { environments } = this.#options;
    const needsBody =
      readBasicCredentials(request) && environments.all.length > 1 && !findAddressClaim(environments, request);
    return needsBody ? undefined : this.require(request);
  }

  /**
   * Verifies credentials by listing the user's apps. Throws NotSignedIn with the specified message,
   * TooMany, or the platform's error.
   */
  async checkCredentials(
    environment: ServedEnvironment,
    credentials: PlatformCredentials,
    { address, deviceToken }: Pick<SignInAttempt, 'address' | 'deviceToken'>,
  ): Promise<ListReading<App>> {
    const { guard, rights } = this.#options;
    const { userName: username, password } = credentials;
    const attempt = { environment: environment.name, username, password, address, deviceToken };
    try {
      const list = await guard.attempt(attempt, () => environment.helium.listApps({ credentials }));
      rights.confirm({ environment: environment.name, username });
      return list;
    } catch (error) {
      if (error instanceof NotSignedIn) throw new NotSignedIn(signInTexts.wrongCredentials);
      throw error;
    }
  }

  /** Throws Refused if a payload, as the specified calls send it, names another user. */
  checkUser(caller: Caller, payload: unknown): void {
    if (typeof payload !== 'object' || payload === null) return;
    const { username, portalUser, credentials } = payload as Claims;
    for (const claimed of [username, portalUser, credentials?.userName]) {
      if (claimed !== undefined && claimed !== caller.username)
        throw new Refused(`You are signed in as ${shortenValue(caller.username)}, not as ${shortenValue(claimed)}.`);
    }
  }

  /**
   * Throws Refused if a payload names another environment, and Invalid if it names an unknown one.
   * The payload need not be validated.
   */
  checkEnvironment(caller: Caller, payload: unknown): void {
    const claim = readEnvironmentClaim(payload);
    if (claim === undefined) return;
    const meant = this.#options.environments.require(claim);
    if (meant !== caller.environment)
      throw new Refused(`You are signed in to ${caller.environment.name}, not to ${meant.name}.`);
  }

  async #basicCaller(request: FastifyRequest, credentials: PlatformCredentials): Promise<Caller> {
    const { environments, appLists, audit } = this.#options;
    const claim = findAddressClaim(environments, request) ?? readEnvironmentClaim(request.body);
    const environment = claim ? environments.require(claim) : await this.#findAccepting(request, credentials);
    const actor = toBasicActor(request, credentials, environment);
    const holder = `basic ${hashParts([environment.name, credentials.userName, credentials.password])}`;
    const source = {
      platform: environment.helium,
      load: async () => (await this.#checkBasic(request, credentials, [environment])).list,
    };
    // What the caller does decides whether the list must be current.
    await appLists.get(holder, source, { forReading: true });
    return {
      ...actor,
      environment,
      expiresAt: null,
      isReadOnly: false,
      credentials: () => credentials,
      apps: (options) => appLists.get(holder, source, options),
      record: (record) => audit.write(actor, record),
    };
  }

  /**
   * Returns the environment that accepts the credentials, of those at the base of the address.
   * Throws like `#checkBasic`, and Invalid if the address is at no base.
   */
  async #findAccepting(request: FastifyRequest, credentials: PlatformCredentials): Promise<ServedEnvironment> {
    const candidates = listAtBase(this.#options.environments, request);
    if (candidates.length === 0) return this.#options.environments.require({});
    const names = candidates.map(({ name }) => name);
    const key = hashParts([...names, credentials.userName, credentials.password]);
    return this.#accepting.get(key, async () => (await this.#checkBasic(request, credentials, candidates)).environment);
  }

  /**
   * Returns the environment that accepts the credentials, and its apps. Throws NotSignedIn if none
   * does, which is recorded for each, and Invalid if several do.
   */
  async #checkBasic(
    request: FastifyRequest,
    credentials: PlatformCredentials,
    environments: readonly ServedEnvironment[],
  ): Promise<{ readonly environment: ServedEnvironment; readonly list: ListReading<App> }> {
    const from = { address: request.ip, deviceToken: undefined };
    const checks = await Promise.allSettled(
      environments.map(async (environment) => ({
        environment,
        list: await this.checkCredentials(environment, credentials, from),
      })),
    );
    const accepting = checks.flatMap((check) => (check.status === 'fulfilled' ? check.value : []));
    const [only, ...others] = accepting;
    if (others.length > 0) {
      const found = accepting.map(({ environment }) => environment.name).join(' and ');
      throw new Invalid(`${found} accept this password. Name the environment that you mean: ?environment=…`);
    }
    if (only) return only;
    const problems: unknown[] = checks.flatMap((check) => (check.status === 'rejected' ? check.reason : []));
    for (const [at, environment] of environments.entries()) {
      const problem = problems[at];
      if (!(problem instanceof NotSignedIn)) continue;
      const actor = toBasicActor(request, credentials, environment);
      await this.#options.audit.write(actor, { ...refusedBasic, reason: problem.message });
    }
    throw problems.find((problem) => !(problem instanceof NotSignedIn)) ?? problems[0];
  }

  async #sessionCaller(request: FastifyRequest, session: Session): Promise<Caller | undefined> {
    const environment = this.#options.environments.find(session.environment);
    // Removing an environment from the configuration also ends its sessions.
    if (!environment) return undefined;
    const { rights, appLists } = this.#options;
    const { helium: platform } = environment;
    const origin = getOrigin(request);
    const load = async (signal: AbortSignal) => {
      try {
        const list = await platform.listApps({ credentials: session.credentials(), signal });
        rights.confirm(session);
        return list;
      } catch (error) {
        if (!(error instanceof NotSignedIn)) throw error;
        await rights.end(session, { environment, origin });
        throw new NotSignedIn(
          'The platform no longer accepts your password, so your session has ended. Sign in again.',
          { cause: error },
        );
      }
    };
    const actor = {
      username: session.username,
      environment,
      origin,
      sessionId: session.id,
    } satisfies Actor;
    await this.#options.origins.save(actor);
    return {
      ...actor,
      environment,
      expiresAt: session.expiresAt,
      isReadOnly: session.isReadOnly,
      credentials: session.credentials,
      apps: (options) => appLists.get(session.id, { platform, load }, options),
      record: (record) => this.#options.audit.write(actor, record),
    };
  }
}

/** Throws NotSignedIn if the platform no longer accepts the caller. It may be unavailable. */
async function confirm(caller: Caller): Promise<void> {
  try {
    // What the caller does decides whether the list must be current.
    await caller.apps({ forReading: true });
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
  }
}

function toBasicActor(request: FastifyRequest, { userName }: PlatformCredentials, { name }: ServedEnvironment): Actor {
  return { username: userName, environment: { name }, origin: getOrigin(request), sessionId: null };
}

interface Claims {
  readonly username?: string;
  readonly portalUser?: string;
  readonly credentials?: { readonly userName: string };
}

export function getOrigin(request: FastifyRequest): CallOrigin {
  return {
    address: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
    requestId: request.id,
  };
}
