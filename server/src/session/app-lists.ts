import type { App } from '@portal/contract/apps';
import { ExpiringCache } from '../expiring-cache.ts';

export interface AppList {
  readonly apps: readonly App[];
  readonly byId: ReadonlyMap<string, App>;
}

/**
 * The apps the platform shows somebody, kept for some seconds, because each call with an app id
 * checks them. How long is also how long an app stays reachable after the platform took it away.
 */
export class AppLists {
  readonly #cache: ExpiringCache<AppList>;

  constructor(ttlMs: number) {
    this.#cache = new ExpiringCache({ ttlMs: ttlMs });
  }

  /** `holder` tells one session or one Basic user from another. */
  get(holder: string, load: () => Promise<readonly App[]>, options?: { readonly fresh: boolean }): Promise<AppList> {
    return this.#cache.get(holder, async () => toAppList(await load()), options);
  }

  /**
   * Takes over a list that was just loaded, so that the first calls after a sign-in need not ask
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
