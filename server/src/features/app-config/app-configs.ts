import type { AppConfig } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import type { FunctionState } from '@portal/contract/scheduled-functions';
import { Conflict, NotFound, Problem, Unreachable } from '@portal/kit/problems';
import type { AppConfigReading } from '@portal/platforms/helium/client';
import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import type { Noted } from '../../access/enforcer.ts';
import type { Dependencies } from '../../dependencies.ts';
import { ExpiringCache, type GetOptions } from '../../expiring-cache.ts';
import type { Caller } from '../../session/caller.ts';
import { areEqual, type ChangedSettings, describeChange, describeState, pickSettings } from './changed-settings.ts';
import { findLastChanges, findLastChangeTo } from './config-history.store.ts';
import { describeDifferences, describeOtherMessage } from './find-differences.ts';
import { formatTimeAgo } from './format-time-ago.ts';
import { type PatchResult, patchInSteps } from './patch-in-steps.ts';

export interface ConfigChange {
  readonly after: ChangedSettings;
  /** The values the caller saw; undefined if the caller did not send them. */
  readonly expected?: ChangedSettings | undefined;
  readonly isUndo?: boolean;
  /** Validates the change against the current configuration; throws if it does not apply. */
  readonly check?: (config: HeliumAppConfig) => void;
}

/** The call that changes the configuration of an app. */
export interface ChangeCall {
  readonly caller: Caller;
  readonly app: App;
  readonly noted: Noted;
}

/** A change of a scheduled function's state, which Undo reverts too. */
interface Toggle {
  /** 'unit:event' */
  readonly name: string;
  readonly state: FunctionState;
  /** The state that the caller saw. */
  readonly expected: FunctionState;
}

export type ToggleFunction = (call: ChangeCall, toggle: Toggle) => Promise<string>;

interface ReadConfig {
  readonly config: AppConfig;
  readonly skipped: readonly string[];
}

const notVerified = 'It could not be read again to verify it.';

/** Reads and changes app configurations, and tracks who changed them last. */
export class AppConfigs {
  readonly #dependencies: Dependencies;
  readonly #toggleFunction: ToggleFunction;
  readonly #cache: ExpiringCache<ReadConfig>;

  constructor(dependencies: Dependencies, toggleFunction: ToggleFunction) {
    this.#dependencies = dependencies;
    this.#toggleFunction = toggleFunction;
    this.#cache = new ExpiringCache({ ttlMs: dependencies.freshness.configMs });
  }

  /** Also returns why each timeout that could not be read is missing. */
  async read(caller: Caller, app: App, options: GetOptions): Promise<ReadConfig> {
    const load = (signal: AbortSignal | undefined) => this.#load(caller, app, signal);
    const [{ config, skipped }, { last, own }] = await Promise.all([
      caller.sessionId === null
        ? load(options.signal)
        : this.#cache.get(`${toKey(caller, app)} ${caller.sessionId}`, load, options),
      // Never cached, because a toggled function changes it too.
      this.#lastChanges(caller, app),
    ]);
    const undoable = own?.action === 'config.undo' ? null : own;
    return { config: { ...config, lastChange: last, undoable }, skipped };
  }

  /**
   * Applies a change and returns the platform's text. Throws Conflict if the values the caller saw
   * have changed.
   */
  async change({ caller, app, noted }: ChangeCall, change: ConfigChange): Promise<string> {
    const { after, expected, check, isUndo = false } = change;
    const { helium } = caller.environment;
    const as = { credentials: caller.credentials(), appId: app.id };
    const describe = (changed: Pick<PatchResult, 'before' | 'after'>) => ({
      before: changed.before,
      after: changed.after,
      description: `${isUndo ? 'Undo: ' : ''}${describeChange(changed.before, changed.after)}`,
    });
    Object.assign(noted, describe({ before: {}, after }));
    const config = await helium.getAppConfig(as);
    const before = pickSettings(config, after);
    Object.assign(noted, describe({ before, after }));
    if (expected && !areEqual(expected, pickSettings(config, expected))) {
      throw await this.#conflict(caller, app, expected, pickSettings(config, expected));
    }
    check?.(config);
    const patched = await patchInSteps(helium, as, before, after).finally(() =>
      this.#cache.invalidateWhere((key) => key.startsWith(`${toKey(caller, app)} `)),
    );
    if (patched.problem) {
      // A change that could not be rolled back is recorded as well, so that Undo can revert it.
      noted.each = [{ ...describe(patched), outcome: 'done' }, {}];
      throw patched.problem;
    }
    const note = await this.#verify(caller, app, config, after);
    if (note === undefined) return patched.text;
    noted.reason = note;
    return `${patched.text} ${note}`;
  }

  /**
   * Reverts this session's last change to this app. Throws NotFound if there is none, and Conflict
   * as `change` does.
   */
  async undo(call: ChangeCall): Promise<string> {
    const { own } = await this.#lastChanges(call.caller, call.app);
    if (!own || own.action === 'config.undo') throw new NotFound('There is nothing to undo in this session.');
    if (own.isToggle) return this.#undoToggle(call, own.after);
    return this.change(call, { after: own.before, expected: own.after, isUndo: true });
  }

  async #undoToggle(call: ChangeCall, stateByName: Readonly<Record<string, FunctionState>>): Promise<string> {
    const { caller, app, noted } = call;
    const [[name, expected] = []] = Object.entries(stateByName);
    if (name === undefined || expected === undefined) throw new NotFound('There is nothing to undo in this session.');
    // The role may have changed since.
    await this.#dependencies.permissions.require(caller, 'functions.toggle', { apps: [app], isChange: true });
    const state = expected === 'Enabled' ? 'Disabled' : 'Enabled';
    try {
      return await this.#toggleFunction(call, { name, state, expected });
    } finally {
      noted.description = `Undo: ${noted.description}`;
    }
  }

  async #load(caller: Caller, app: App, signal: AbortSignal | undefined): Promise<ReadConfig> {
    await this.#dependencies.appChecks.openPage(caller, app);
    const as = { credentials: caller.credentials(), appId: app.id, signal };
    const { skipped, otherFields: _, ...config } = await caller.environment.helium.getAppConfig(as);
    await this.#dependencies.appChecks.noteConfiguration(caller, app.id, config);
    return { config, skipped };
  }

  #lastChanges({ environment, sessionId }: Caller, { id }: App) {
    return findLastChanges(this.#dependencies.pool, { environment: environment.name, appId: id, sessionId });
  }

  /**
   * Reads the configuration again after a change. Throws Unreachable if it is not as requested, and
   * returns a note if it cannot be read or has another message.
   */
  async #verify(
    caller: Caller,
    { id: appId }: App,
    before: AppConfigReading,
    requested: ChangedSettings,
  ): Promise<string | undefined> {
    let now: AppConfigReading;
    try {
      now = await caller.environment.helium.getAppConfig({ credentials: caller.credentials(), appId });
    } catch (error) {
      if (error instanceof Problem) return notVerified;
      throw error;
    }
    await this.#dependencies.appChecks.noteConfiguration(caller, appId, now);
    const differences = describeDifferences(before, requested, now);
    if (differences !== null) throw new Unreachable(differences);
    return describeOtherMessage(requested, now);
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
