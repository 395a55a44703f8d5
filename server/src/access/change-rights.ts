import type { App } from '@portal/contract/apps';
import { Unreachable } from '@portal/kit/problems';
import type { ChangeRight } from '@portal/platforms/helium/client';
import { ExpiringCache } from '../expiring-cache.ts';
import type { Caller } from '../session/caller.ts';

/**
 * Finds which apps the platform lets callers change. Nothing public says how to ask a platform, so
 * `#ask` is the only place that does. Answers for sessions are cached per app.
 */
export class ChangeRights {
  readonly #cache: ExpiringCache<ChangeRight>;

  constructor(ttlMs: number) {
    this.#cache = new ExpiringCache({ ttlMs, maxEntries: 10_000 });
  }

  /** Throws Unreachable while the platform does not answer, and NotSignedIn. */
  async find(caller: Caller, app: App): Promise<ChangeRight> {
    if (caller.environment.rights === 'all') return 'allowed';
    const ask = (signal?: AbortSignal) => this.#ask(caller, app, signal);
    return caller.sessionId === null ? ask() : this.#cache.get(`${caller.sessionId} ${app.id}`, ask);
  }

  async #ask({ environment, credentials }: Caller, app: App, signal?: AbortSignal): Promise<ChangeRight> {
    try {
      return await environment.helium.findChangeRight({ credentials: credentials(), appId: app.id, signal });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const message = `${error.message} It could not be asked whether you may change the app ${app.name}, so nothing was changed.`;
      throw new Unreachable(message, { cause: error, timedOut: error.status === 504 });
    }
  }
}
