import type { App } from '@portal/contract/apps';
import { ExpiringCache } from '../expiring-cache.ts';

export interface AppList {
  readonly apps: readonly App[];
  readonly byId: ReadonlyMap<string, App>;
}

/**
 * The AppLists is the component that caches the apps of each session or Basic user for some
 * seconds, because every request with an app id checks them. A removed app stays accessible for
 * that long.
 */
export class AppLists {
  readonly #cache: ExpiringCache<AppList>;

  constructor(ttlMs: number) {
    this.#cache = new ExpiringCache({ ttlMs: ttlMs });
  }

  /** `holder` identifies a session or a Basic user. */
  get(holder: string, load: () => Promise<readonly App[]>, options?: { readonly fresh: boolean }): Promise<AppList> {
    return this.#cache.get(holder, async () => toAppList(await load()), options);
  }

  /**
   * Stores a list that was just loaded, so that the first requests after sign-in do not load it
   * again.
   */
  put(holder: string, apps: readonly App[]): void {
    void this.#cache.get(holder, async () => toAppList(apps), { fresh: true });
  }

  invalidate(holder: string): void {
    this.#cache.invalidate(holder);
  }
}

function toAppList(apps: readonly App[]): AppList {
  return { apps, byId: new Map(apps.map((app) => [app.id, app])) };
}
