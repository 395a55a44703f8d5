import type { App } from '@portal/contract/apps';
import { NotSignedIn, Refused, Unreachable } from '@portal/kit/problems';
import type { HeliumClient, ListReading } from '@portal/platforms/helium/client';
import { ExpiringCache, type GetOptions } from '../expiring-cache.ts';

export interface AppList {
  readonly apps: readonly App[];
  readonly byId: ReadonlyMap<string, App>;
  /** Why each entry of the platform's list that could not be read was left out. */
  readonly skipped: readonly string[];
  /** When the platform returned it. */
  readonly readAt: Date;
  /** Why the platform does not return it now; absent if it does, or has within seconds. */
  readonly problem?: string;
}

export interface AppListSource {
  readonly platform: Pick<HeliumClient, 'silence'>;
  load(signal: AbortSignal): Promise<ListReading<App>>;
}

export interface AppListOptions extends GetOptions {
  /**
   * Accepts the last list while the platform is unavailable, up to ten minutes old. Without it,
   * nothing is returned then, because nothing may be changed.
   */
  readonly forReading?: boolean;
}

const maxStandingMs = 600_000;
const maxStandingLists = 1_000;

/**
 * Caches the apps of each session or Basic user for some seconds, because every request with an app
 * id checks them. A removed app stays accessible for that long. In the last third of that time, the
 * list is loaded again in the background.
 */
export class AppLists {
  readonly #cache: ExpiringCache<AppList>;
  /** The last list of each holder, the most recently loaded last. */
  readonly #standing = new Map<string, AppList>();

  constructor(ttlMs: number) {
    this.#cache = new ExpiringCache({ ttlMs, refreshAfterMs: (ttlMs * 2) / 3 });
  }

  /**
   * `holder` identifies a session or a Basic user. Throws Unreachable while the platform is
   * unavailable, unless there is a list for reading. `fresh` asks how the platform answers now, so
   * only a silent platform leaves the last list then.
   */
  async get(
    holder: string,
    { platform, load }: AppListSource,
    { forReading = false, ...options }: AppListOptions = {},
  ): Promise<AppList> {
    const { silence } = platform;
    if (silence && !forReading) {
      throw new Unreachable(`${silence.message} Changes are not possible until it does.`, { cause: silence });
    }
    try {
      return await this.#cache.get(holder, async (signal) => this.#keep(holder, await load(signal)), options);
    } catch (error) {
      if (error instanceof NotSignedIn || error instanceof Refused) this.#standing.delete(holder);
      const isLastAccepted = forReading && (!options.fresh || platform.silence !== undefined);
      const standing = isLastAccepted ? this.#findStanding(holder) : undefined;
      if (error instanceof Unreachable && standing) return { ...standing, problem: error.message };
      throw error;
    }
  }

  /**
   * Stores a list that was just loaded, so that the first requests after sign-in do not load it
   * again.
   */
  put(holder: string, reading: ListReading<App>): void {
    void this.#cache.get(holder, async () => this.#keep(holder, reading), { fresh: true });
  }

  invalidate(holder: string): void {
    this.#cache.invalidate(holder);
    this.#standing.delete(holder);
  }

  #keep(holder: string, { entries: apps, skipped }: ListReading<App>): AppList {
    const list = { apps, skipped, byId: new Map(apps.map((app) => [app.id, app])), readAt: new Date() };
    this.#standing.delete(holder);
    this.#standing.set(holder, list);
    for (const oldest of this.#standing.keys()) {
      if (this.#standing.size <= maxStandingLists && this.#findStanding(oldest)) break;
      this.#standing.delete(oldest);
    }
    return list;
  }

  #findStanding(holder: string): AppList | undefined {
    const list = this.#standing.get(holder);
    return list && Date.now() - list.readAt.getTime() < maxStandingMs ? list : undefined;
  }
}
