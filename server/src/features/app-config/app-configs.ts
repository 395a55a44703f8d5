import type { AppConfig } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import { Conflict, NotFound, Problem, Unreachable } from '@portal/kit/problems';
import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import { requireApp } from '../../access/app-access.ts';
import { type AuditRecord, toOutcome } from '../../audit/audit-trail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { ExpiringCache, type GetOptions } from '../../expiring-cache.ts';
import type { Caller } from '../../session/caller.ts';
import { areEqual, type ChangedSettings, describeChange, describeState, pickSettings } from './changed-settings.ts';
import { findLastChanges, findLastChangeTo } from './config-history.store.ts';
import { describeDifferences } from './find-differences.ts';
import { formatTimeAgo } from './format-time-ago.ts';
import { type PatchResult, patchInSteps } from './patch-in-steps.ts';

export interface ConfigChange {
  /** Action in the audit trail: 'config.add-entry-point'. */
  readonly action: string;
  readonly after: ChangedSettings;
  /** The values the caller saw; undefined if the caller did not send them. */
  readonly expected?: ChangedSettings | undefined;
  /** Validates the change against the current configuration; throws if it does not apply. */
  readonly check?: (config: HeliumAppConfig) => void;
}

interface ReadConfig {
  readonly config: AppConfig;
  readonly skipped: readonly string[];
}

const notVerified = 'It could not be read again to verify it.';

/** Reads and changes app configurations, and tracks who changed them last. */
export class AppConfigs {
  readonly #dependencies: Dependencies;
  readonly #cache: ExpiringCache<ReadConfig>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#cache = new ExpiringCache({ ttlMs: dependencies.freshness.configMs });
  }

  /** Also returns why each timeout that could not be read is missing. */
  async read(caller: Caller, appId: string, options: GetOptions): Promise<ReadConfig> {
    await this.#dependencies.permissions.require(caller, 'config.view', { resource: appId });
    const app = await requireApp(caller, appId, 'config.view');
    if (caller.sessionId === null) return this.#load(caller, app, options.signal);
    const load = (signal: AbortSignal) => this.#load(caller, app, signal);
    return this.#cache.get(`${toKey(caller, app)} ${caller.sessionId}`, load, options);
  }

  /**
   * Applies a change and returns the platform's text. Throws Conflict if the values the caller saw
   * have changed.
   */
  async change(caller: Caller, appId: string, change: ConfigChange): Promise<string> {
    await this.#dependencies.permissions.require(caller, 'config.change', { resource: appId });
    const app = await requireApp(caller, appId, 'config.change');
    return this.#withLock(caller, app, async () => this.#apply(caller, app, change));
  }

  /**
   * Reverts this session's last change to this app. Throws NotFound if there is none, and Conflict
   * as `change` does.
   */
  async undo(caller: Caller, appId: string): Promise<string> {
    await this.#dependencies.permissions.require(caller, 'config.change', { resource: appId });
    const app = await requireApp(caller, appId, 'config.change');
    return this.#withLock(caller, app, async () => {
      const { own } = await this.#lastChanges(caller, app);
      if (!own || own.action === 'config.undo') throw new NotFound('There is nothing to undo in this session.');
      return this.#apply(caller, app, { action: 'config.undo', after: own.before, expected: own.after });
    });
  }

  async #load(caller: Caller, app: App, signal: AbortSignal | undefined): Promise<ReadConfig> {
    const [{ skipped, ...config }, { last, own }] = await Promise.all([
      caller.environment.helium.getAppConfig({ credentials: caller.credentials(), appId: app.id, signal }),
      this.#lastChanges(caller, app),
    ]);
    const undoable = own?.action === 'config.undo' ? null : own;
    return { config: { ...config, lastChange: last, undoable }, skipped };
  }

  #lastChanges({ environment, sessionId }: Caller, { id }: App) {
    return findLastChanges(this.#dependencies.pool, { environment: environment.name, appId: id, sessionId });
  }

  async #withLock(caller: Caller, app: App, work: () => Promise<string>): Promise<string> {
    const key = toKey(caller, app);
    try {
      return await this.#dependencies.locks.run(`config ${key}`, work);
    } finally {
      this.#cache.invalidateWhere((key) => key.startsWith(`${key} `));
    }
  }

  async #apply(caller: Caller, app: App, { action, after, expected, check }: ConfigChange): Promise<string> {
    const { helium } = caller.environment;
    const as = { credentials: caller.credentials(), appId: app.id };
    let before: ChangedSettings = {};
    const writeAudit = (
      patched: Pick<PatchResult, 'before' | 'after'>,
      outcome: Pick<AuditRecord, 'outcome' | 'reason'>,
    ) =>
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
      before = pickSettings(config, after);
      if (expected && !areEqual(expected, pickSettings(config, expected))) {
        throw await this.#conflict(caller, app, expected, pickSettings(config, expected));
      }
      check?.(config);
      const patched = await patchInSteps(helium, as, before, after);
      const note = patched.problem ? undefined : await this.#verify(caller, app, config, after);
      // A change that could not be rolled back is recorded as well, so that Undo can revert it.
      await writeAudit(patched, { outcome: 'done', ...(note !== undefined && { reason: note }) });
      if (patched.problem) throw patched.problem;
      return note === undefined ? patched.text : `${patched.text} ${note}`;
    } catch (error) {
      await writeAudit({ before, after }, toOutcome(error));
      throw error;
    }
  }

  /**
   * Reads the configuration again after a change. Throws Unreachable if it is not as requested, and
   * returns a note if it cannot be read.
   */
  async #verify(
    { environment, credentials }: Caller,
    { id: appId }: App,
    before: HeliumAppConfig,
    requested: ChangedSettings,
  ): Promise<string | undefined> {
    let now: HeliumAppConfig;
    try {
      now = await environment.helium.getAppConfig({ credentials: credentials(), appId });
    } catch (error) {
      if (error instanceof Problem) return notVerified;
      throw error;
    }
    const differences = describeDifferences(before, requested, now);
    if (differences !== null) throw new Unreachable(differences);
    return undefined;
  }

  /** Names the user and the time of the change where the portal knows them. */
  async #conflict(caller: Caller, app: App, expected: ChangedSettings, now: ChangedSettings): Promise<Conflict> {
    const change = await findLastChangeTo(this.#dependencies.pool, caller.environment.name, app.id, expected);
    const isPortalChange = change && areEqual(pickSettings(change.after, now), now);
    const cause = isPortalChange
      ? `Changed by ${change.username} ${formatTimeAgo(new Date(change.at), new Date())} (${change.description})`
      : 'Changed outside the portal since you opened it';
    return new Conflict(
      `${cause}: ${describeState(now)}. Your change was not applied; review the new value and try again.`,
    );
  }
}

function toKey({ environment }: Caller, { id }: App): string {
  return `${environment.name} ${id}`;
}
