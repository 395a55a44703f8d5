import type { AppConfig } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import { Conflict, NotFound } from '@portal/kit/problems';
import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import { requireApp } from '../../access/app-access.ts';
import { type Deed, outcomeOf } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { FreshCache } from '../../fresh-cache.ts';
import type { Caller } from '../../session/caller.ts';
import { areSame, type ChangedSettings, describeChange, describeState, valuesIn } from './changed-settings.ts';
import { findLastChangeOf, findLastChanges } from './config-history.store.ts';
import { howLongAgo } from './how-long-ago.ts';
import { type Patched, patchInSteps } from './patch-in-steps.ts';

export interface WantedChange {
  /** For the audit trail: 'config.add-entry-point'. */
  readonly action: string;
  readonly after: ChangedSettings;
  /** What the caller saw of these settings; left out when they do not say. */
  readonly expected?: ChangedSettings | undefined;
  /**
   * Looks at the configuration just before the change; throws when the change makes no sense there.
   */
  readonly check?: (config: HeliumAppConfig) => void;
}

/** Reads and changes the configuration of apps, and knows who changed it last. */
export class AppConfigs {
  readonly #dependencies: Dependencies;
  readonly #kept: FreshCache<AppConfig>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#kept = new FreshCache({ ttlMs: dependencies.freshness.configMs });
  }

  async read(caller: Caller, appId: string, fresh: boolean): Promise<AppConfig> {
    await this.#dependencies.permissions.require(caller, 'config.view', appId);
    const app = await requireApp(caller, appId);
    if (caller.sessionId === null) return this.#load(caller, app);
    return this.#kept.get(`${placeOf(caller, app)} ${caller.sessionId}`, () => this.#load(caller, app), { fresh });
  }

  /**
   * Makes a change and answers the platform's text. Throws Conflict when what the caller saw is no
   * longer so.
   */
  async change(caller: Caller, appId: string, wanted: WantedChange): Promise<string> {
    await this.#dependencies.permissions.require(caller, 'config.change', appId);
    const app = await requireApp(caller, appId);
    return this.#alone(caller, app, async () => this.#make(caller, app, wanted));
  }

  /**
   * Reverts the last change of this session to this app. Throws NotFound when there is none,
   * Conflict as `change` does.
   */
  async undo(caller: Caller, appId: string): Promise<string> {
    await this.#dependencies.permissions.require(caller, 'config.change', appId);
    const app = await requireApp(caller, appId);
    return this.#alone(caller, app, async () => {
      const { own } = await this.#lastChanges(caller, app);
      if (!own || own.action === 'config.undo') throw new NotFound('There is nothing to undo in this session.');
      return this.#make(caller, app, { action: 'config.undo', after: own.before, expected: own.after });
    });
  }

  async #load(caller: Caller, app: App): Promise<AppConfig> {
    const [config, { last, own }] = await Promise.all([
      caller.environment.helium.getAppConfig({ credentials: caller.credentials(), appId: app.id }),
      this.#lastChanges(caller, app),
    ]);
    return { ...config, lastChange: last, undoable: own?.action === 'config.undo' ? null : own };
  }

  #lastChanges({ environment, sessionId }: Caller, { id }: App) {
    return findLastChanges(this.#dependencies.pool, { environment: environment.name, appId: id, sessionId });
  }

  async #alone(caller: Caller, app: App, work: () => Promise<string>): Promise<string> {
    const place = placeOf(caller, app);
    try {
      return await this.#dependencies.locks.run(`config ${place}`, work);
    } finally {
      this.#kept.forgetAll((key) => key.startsWith(`${place} `));
    }
  }

  async #make(caller: Caller, app: App, { action, after, expected, check }: WantedChange): Promise<string> {
    const { helium } = caller.environment;
    const as = { credentials: caller.credentials(), appId: app.id };
    let before: ChangedSettings = {};
    const note = (patched: Pick<Patched, 'before' | 'after'>, outcome: Pick<Deed, 'outcome' | 'reason'>) =>
      this.#dependencies.audit.write(caller, {
        action,
        resource: app.id,
        resourceName: app.name,
        description: `${action === 'config.undo' ? 'Undo: ' : ''}${describeChange(patched.before, patched.after)}`,
        before: patched.before,
        after: patched.after,
        ...outcome,
      });
    try {
      const config = await helium.getAppConfig(as);
      before = valuesIn(config, after);
      if (expected && !areSame(expected, valuesIn(config, expected))) {
        throw await this.#conflict(caller, app, expected, valuesIn(config, expected));
      }
      check?.(config);
      const patched = await patchInSteps(helium, as, before, after);
      // What could not be taken back is a change as well, and Undo can revert it.
      await note(patched, { outcome: 'done' });
      if (patched.problem) throw patched.problem;
      return patched.text;
    } catch (error) {
      await note({ before, after }, outcomeOf(error));
      throw error;
    }
  }

  /** Says who changed it and when, where the portal knows. */
  async #conflict(caller: Caller, app: App, expected: ChangedSettings, now: ChangedSettings): Promise<Conflict> {
    const change = await findLastChangeOf(this.#dependencies.pool, caller.environment.name, app.id, expected);
    const isKnown = change && areSame(valuesIn(change.after, now), now);
    const who = isKnown
      ? `Changed by ${change.username} ${howLongAgo(new Date(change.at), new Date())} (${change.description})`
      : 'Changed outside the portal since you looked';
    return new Conflict(`${who}: ${describeState(now)}. Nothing was changed now; look again and decide.`);
  }
}

function placeOf({ environment }: Caller, { id }: App): string {
  return `${environment.name} ${id}`;
}
