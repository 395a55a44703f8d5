import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { formatTimeOfDay } from '@portal/platforms/reachability';
import type { Caller } from '../../session/caller.ts';

export interface AppMemory {
  remember(app: App, items: readonly Attention[]): void;
  /**
   * Returns what was last found of these apps. `note` is a sentence that states its age; '' if there
   * is nothing.
   */
  recall(apps: Iterable<App>): { readonly items: readonly Attention[]; readonly note: string };
}

const maxApps = 20_000;

/**
 * The LastFound is the component that remembers what was last found of each app, to show while the
 * app's system does not answer. Each caller sees only what was found for that caller.
 */
export class LastFound {
  readonly #found = new Map<string, { readonly items: readonly Attention[]; readonly at: number }>();

  /** `system` is the one that answers about the apps. */
  forCaller({ environment, username }: Pick<Caller, 'environment' | 'username'>, system: string): AppMemory {
    const toKey = ({ id }: App) => JSON.stringify([environment.name, system, username, id]);
    return {
      remember: (app, items) => {
        this.#found.delete(toKey(app));
        if (items.length > 0) this.#found.set(toKey(app), { items, at: Date.now() });
        const [oldest] = this.#found.keys();
        if (this.#found.size > maxApps && oldest !== undefined) this.#found.delete(oldest);
      },
      recall: (apps) => {
        const found = [...apps].flatMap((app) => this.#found.get(toKey(app)) ?? []);
        const oldest = Math.min(...found.map(({ at }) => at));
        const time = found.length === 0 ? '' : formatTimeOfDay(oldest, environment.timeZone);
        return {
          items: found.flatMap(({ items }) => items),
          note: found.length === 0 ? '' : ` What is shown of these apps is from ${time}.`,
        };
      },
    };
  }
}
