import type { Pool } from '@portal/kit/postgres/pool';
import { Unreachable } from '@portal/kit/problems';
import { toRequestTarget } from '@portal/kit/web-address';
import { fetchLatestRelease } from '@portal/platforms/releases/client';
import type { DevClientConfig } from './dev-client.config.ts';
import { findKnownRelease, type KnownRelease, saveKnownRelease } from './latest-release.store.ts';

export interface LatestReleaseResult extends KnownRelease {
  /** Why the repository could not be read again; null if it could. */
  readonly problem: string | null;
}

const ttlMs = 10 * 60_000;
const failureTtlMs = 30_000;

/**
 * Reads the newest release from the repository, and returns the last known one while the repository
 * is unreachable.
 */
export class LatestRelease {
  readonly #pool: Pool;
  readonly #settings: DevClientConfig;
  #result: Promise<LatestReleaseResult> | undefined;
  /** On the clock of `performance.now()`. */
  #expiresAt = 0;

  constructor(pool: Pool, settings: DevClientConfig) {
    this.#pool = pool;
    this.#settings = settings;
  }

  /**
   * Returns a result that is at most ten minutes old unless `fresh` is set. Throws Unreachable if
   * the repository cannot be read and never was.
   */
  read({ fresh }: { readonly fresh: boolean }): Promise<LatestReleaseResult> {
    if (this.#result && !fresh && performance.now() < this.#expiresAt) return this.#result;
    const response = this.#fetch();
    this.#result = response;
    // Concurrent readers share the same request.
    this.#expiresAt = Number.POSITIVE_INFINITY;
    const expireAfter = (ms: number) => {
      if (this.#result === response) this.#expiresAt = performance.now() + ms;
    };
    response.then(
      ({ problem }) => expireAfter(problem === null ? ttlMs : failureTtlMs),
      () => expireAfter(failureTtlMs),
    );
    return response;
  }

  async #fetch(): Promise<LatestReleaseResult> {
    const { clientUrl, noUiClientUrl, storageHosts, preReleases } = this.#settings;
    const { url: metadataUrl, headers } = toRequestTarget(this.#settings.metadataUrl.reveal());
    try {
      const latest = await fetchLatestRelease({
        metadataUrl,
        clientUrl,
        noUiClientUrl,
        storageHosts,
        preReleases,
        headers,
      });
      const release = { ...latest, readAt: new Date() };
      await saveKnownRelease(this.#pool, metadataUrl, release);
      return { ...release, problem: null };
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const known = await findKnownRelease(this.#pool, metadataUrl);
      if (!known) throw error;
      return { ...known, problem: error.message };
    }
  }
}
