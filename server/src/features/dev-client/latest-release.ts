import { Unreachable } from '@portal/kit/problems';
import { fetchLatestRelease, type Release } from '@portal/platforms/releases/client';
import type { DevClientConfig } from './dev-client.config.ts';

export interface KnownRelease extends Release {
  /** When the repository said so. */
  readonly readAt: Date;
}

export interface LatestReleaseAnswer extends KnownRelease {
  /** Why it could not be asked again since; null when it answered. */
  readonly problem: string | null;
}

const keptMs = 10 * 60_000;
const keptInTroubleMs = 30_000;

/** The newest release as the repository tells it; while it does not, as it told it last. */
export class LatestRelease {
  readonly #settings: DevClientConfig;
  #known: KnownRelease | undefined;
  #answer: Promise<LatestReleaseAnswer> | undefined;
  /** On the clock of `performance.now()`. */
  #keptUntil = 0;

  constructor(settings: DevClientConfig) {
    this.#settings = settings;
  }

  /** Some minutes old at most unless `fresh`. Throws Unreachable when the repository does not tell it and never has. */
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
    try {
      this.#known = { ...(await fetchLatestRelease(this.#settings)), readAt: new Date() };
      return { ...this.#known, problem: null };
    } catch (error) {
      if (!(error instanceof Unreachable) || !this.#known) throw error;
      return { ...this.#known, problem: error.message };
    }
  }
}
