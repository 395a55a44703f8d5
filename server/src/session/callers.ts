import type { App } from '@portal/contract/apps';
import { signInTexts } from '@portal/contract/apps';
import { getSyncBase, syncBases } from '@portal/contract/sync-base';
import { Invalid, NotSignedIn, Refused } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { ListReading } from '@portal/platforms/helium/client';
import type { FastifyRequest } from 'fastify';
import type { Actor, AuditTrail, CallOrigin } from '../audit/audit-trail.ts';
import type { Environments, ServedEnvironment } from '../platform/environments.ts';
import type { AppLists } from './app-lists.ts';
import { readBasicCredentials } from './basic-credentials.ts';
import type { Caller, PlatformCredentials } from './caller.ts';
import { hashParts } from './hash-parts.ts';
import type { Session, Sessions } from './sessions.ts';
import type { SignInAttempt, SignInGuard } from './sign-in-guard.ts';
import type { TokenCookie } from './token-cookie.ts';

export interface CallersOptions {
  readonly environments: Environments;
  readonly sessions: Sessions;
  readonly cookie: TokenCookie;
  readonly appLists: AppLists;
  readonly guard: SignInGuard;
  readonly audit: AuditTrail;
}

const refusedBasic = { action: 'session.basic', description: 'HTTP Basic refused', outcome: 'refused' } as const;

/** The Callers is the component that identifies callers. */
export class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
    options.sessions.onEnd((sessionId) => options.appLists.invalidate(sessionId));
  }

  /**
   * Identifies the caller by `Authorization: Basic` if sent, otherwise by the session cookie;
   * undefined if neither is valid.
   */
  async find(request: FastifyRequest): Promise<Caller | undefined> {
    const basic = readBasicCredentials(request);
    if (basic) return this.#basicCaller(request, basic);
    const token = this.#options.cookie.read(request);
    const session = token === undefined ? undefined : await this.#options.sessions.find(token);
    return session && this.#sessionCaller(request, session);
  }

  /** Throws NotSignedIn if the caller is not signed in. */
  async require(request: FastifyRequest): Promise<Caller> {
    const caller = await this.find(request);
    if (!caller) throw new NotSignedIn('You are not signed in, or your session has ended.');
    return caller;
  }

  /**
   * Like `require`, before the body is read. Returns undefined for HTTP Basic credentials whose
   * environment only the body can name: `require` identifies them afterwards.
   */
  async requireBeforeBody(request: FastifyRequest): Promise<Caller | undefined> {
    const { environments } = this.#options;
    const needsBody = readBasicCredentials(request) && environments.all.length > 1 && !this.#findAddressClaim(request);
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
    const { userName: username, password } = credentials;
    const attempt = { environment: environment.name, username, password, address, deviceToken };
    try {
      return await this.#options.guard.attempt(attempt, () => environment.helium.listApps({ credentials }));
    } catch (error) {
      if (error instanceof NotSignedIn) throw new NotSignedIn(signInTexts.wrongCredentials);
      throw error;
    }
  }

  /**
   * Checks what a payload claims about the caller. The specified calls repeat the user and
   * environment: an unknown environment is Invalid, another user or environment is Refused.
   */
  checkClaims(caller: Caller, payload: unknown): void {
    if (typeof payload !== 'object' || payload === null) return;
    const { username, portalUser, environment, baseUrl, credentials } = payload as Claims;
    for (const claimed of [username, portalUser, credentials?.userName]) {
      if (claimed !== undefined && claimed !== caller.username)
        throw new Refused(`You are signed in as ${shortenValue(caller.username)}, not as ${shortenValue(claimed)}.`);
    }
    if (baseUrl === undefined && environment === undefined) return;
    const meant = this.#options.environments.require({ baseUrl, name: environment });
    if (meant !== caller.environment)
      throw new Refused(`You are signed in to ${caller.environment.name}, not to ${meant.name}.`);
  }

  async #basicCaller(request: FastifyRequest, credentials: PlatformCredentials): Promise<Caller> {
    const { environments, appLists, audit } = this.#options;
    const environment = environments.require(
      this.#findAddressClaim(request) ?? readEnvironmentClaim(request.body) ?? {},
    );
    const actor: Actor = {
      username: credentials.userName,
      environment,
      origin: getOrigin(request),
      sessionId: null,
    };
    const holder = `basic ${hashParts([environment.name, credentials.userName, credentials.password])}`;
    const source = {
      platform: environment.helium,
      load: () =>
        this.checkCredentials(environment, credentials, { address: request.ip, deviceToken: undefined }).catch(
          async (error: unknown) => {
            if (error instanceof NotSignedIn) await audit.write(actor, { ...refusedBasic, reason: error.message });
            throw error;
          },
        ),
    };
    // What the caller does decides whether the list must be current.
    await appLists.get(holder, source, { forReading: true });
    return {
      ...actor,
      environment,
      expiresAt: null,
      credentials: () => credentials,
      apps: (options) => appLists.get(holder, source, options),
      record: (record) => audit.write(actor, record),
    };
  }

  /** Returns the environment that the address names: in its query, or by the base of its path. */
  #findAddressClaim(request: FastifyRequest): EnvironmentClaim | undefined {
    const inQuery = readEnvironmentClaim(request.query);
    if (inQuery) return inQuery;
    const base = syncBases.find((each) => request.url.startsWith(each));
    const [only, ...others] = this.#options.environments.all.filter(({ name }) => getSyncBase(name) === base);
    return only && others.length === 0 ? { name: only.name } : undefined;
  }

  #sessionCaller(request: FastifyRequest, session: Session): Caller | undefined {
    const environment = this.#options.environments.find(session.environment);
    // Removing an environment from the configuration also ends its sessions.
    if (!environment) return undefined;
    const { helium: platform } = environment;
    const load = (signal: AbortSignal) => platform.listApps({ credentials: session.credentials(), signal });
    const actor: Actor = {
      username: session.username,
      environment,
      origin: getOrigin(request),
      sessionId: session.id,
    };
    return {
      ...actor,
      environment,
      expiresAt: session.expiresAt,
      credentials: session.credentials,
      apps: (options) => this.#options.appLists.get(session.id, { platform, load }, options),
      record: (record) => this.#options.audit.write(actor, record),
    };
  }
}

interface Claims {
  readonly username?: string;
  readonly portalUser?: string;
  readonly environment?: string;
  readonly baseUrl?: string;
  readonly credentials?: { readonly userName: string };
}

export function getOrigin(request: FastifyRequest): CallOrigin {
  return {
    address: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
    requestId: request.id,
  };
}

interface EnvironmentClaim {
  readonly baseUrl?: string;
  readonly name?: string;
}

/** Returns the environment that an unvalidated payload names, if any. */
function readEnvironmentClaim(payload: unknown): EnvironmentClaim | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const baseUrl = 'baseUrl' in payload ? payload.baseUrl : undefined;
  const name = 'environment' in payload ? payload.environment : undefined;
  if (baseUrl === undefined && name === undefined) return undefined;
  if (baseUrl !== undefined && typeof baseUrl !== 'string') throw new Invalid('baseUrl must be text.');
  if (name !== undefined && typeof name !== 'string') throw new Invalid('environment must be text.');
  return { ...(baseUrl !== undefined && { baseUrl }), ...(name !== undefined && { name }) };
}
