import type { Pool } from '@portal/kit/postgres/pool';
import { Unreachable } from '@portal/kit/problems';
import { fetchLatestRelease } from '@portal/platforms/releases/client';
import type { DevClientConfig } from './dev-client.config.ts';
import { findKnownRelease, type KnownRelease, saveKnownRelease } from './latest-release.store.ts';

export interface LatestReleaseAnswer extends KnownRelease {
  /** Why it could not be asked again since; null when it answered. */
  readonly problem: string | null;
}

const keptMs = 10 * 60_000;
const keptInTroubleMs = 30_000;

/** The newest release as the repository tells it; while it does not, as it told it last. */
export class LatestRelease {
  readonly #pool: Pool;
  readonly #settings: DevClientConfig;
  #answer: Promise<LatestReleaseAnswer> | undefined;
  /** On the clock of `performance.now()`. */
  #keptUntil = 0;

  constructor(pool: Pool, settings: DevClientConfig) {
    this.#pool = pool;
    this.#settings = settings;
  }

  /**
   * Some minutes old at most unless `fresh`. Throws Unreachable when the repository does not tell
   * it and never has.
   */
  read({ fresh }: { readonly fresh: boolean }): Promise<LatestReleaseAnswer> {
    if (this.#answer && !fresh && performance.now() < this.#keptUntil) return this.#answer;
    const answer = this.#ask();
    this.#answer = answer;
    // Whoever comes while it is asked waits for the same answer.
    this.#keptUntil = Number.POSITIVE_INFINITY;
    const keepFor = (ms: number) => {
      if (this.#answer === answer) this.#keptUntil = performance.now() + ms;
    };
    answer.then(
      ({ problem }) => keepFor(problem === null ? keptMs : keptInTroubleMs),
      () => keepFor(keptInTroubleMs),
    );
    return answer;
  }

  async #ask(): Promise<LatestReleaseAnswer> {
    const { metadataUrl } = this.#settings;
    try {
      const release = { ...(await fetchLatestRelease(this.#settings)), readAt: new Date() };
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
