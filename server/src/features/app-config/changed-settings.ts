import type { HeliumAppConfigPatch } from '@portal/platforms/helium/wire';

/**
 * The settings in a change, with their values before or after it, in the platform's patch format:
 * null means that an entry point has no timeout of its own.
 */
export type ChangedSettings = HeliumAppConfigPatch;

/**
 * Returns the values of the settings named in `changed`, from a configuration or another change.
 */
export function pickSettings(config: ChangedSettings, changed: ChangedSettings): ChangedSettings {
  const { processEntryPointTimeouts: named, maxDatabaseResults, disabled, locked } = changed;
  const timeouts = config.processEntryPointTimeouts ?? {};
  return {
    ...(named && {
      processEntryPointTimeouts: Object.fromEntries(
        Object.keys(named).map((key) => [key, Object.hasOwn(timeouts, key) ? (timeouts[key] ?? null) : null]),
      ),
    }),
    ...(maxDatabaseResults !== undefined && { maxDatabaseResults: config.maxDatabaseResults }),
    ...(disabled !== undefined && { disabled: config.disabled, disabledMessage: config.disabledMessage }),
    ...(locked !== undefined && { locked: config.locked, lockedMessage: config.lockedMessage }),
  };
}

/** Compares two sets of settings. Messages follow from their flags and are ignored. */
export function areEqual(one: ChangedSettings, other: ChangedSettings): boolean {
  return serialize(one) === serialize(other);
}

/** Returns for example "Entry point Nightly:closeOldVisits 15 → 20 min". */
export function describeChange(before: ChangedSettings, after: ChangedSettings): string {
  const was = before.processEntryPointTimeouts ?? {};
  const is = after.processEntryPointTimeouts ?? {};
  const removed = Object.keys(was).find((key) => was[key] !== null && is[key] === null);
  const added = Object.keys(is).find((key) => is[key] !== null && (was[key] ?? null) === null);
  if (removed && added) return `Entry point ${removed} ${was[removed]} min → ${added} ${is[added]} min`;
  if (removed) return `Entry point ${removed} removed (was ${was[removed]} min)`;
  if (added) return `Entry point ${added} set to ${is[added]} min`;
  const key = Object.keys(is)[0];
  if (key !== undefined && is[key] === null) return `Entry point ${key} was not set, so nothing was removed`;
  if (key !== undefined) return `Entry point ${key} ${was[key] ?? 'not set'} → ${is[key] ?? 'not set'} min`;
  if (after.maxDatabaseResults !== undefined)
    return `Maximum database results ${before.maxDatabaseResults} → ${after.maxDatabaseResults}`;
  if (after.disabled !== undefined) return after.disabled ? 'App disabled' : 'App enabled';
  return after.locked ? 'App locked' : 'App unlocked';
}

/** Describes the current state, for a caller who expected a different one. */
export function describeState(settings: ChangedSettings): string {
  const { processEntryPointTimeouts, maxDatabaseResults, disabled, locked } = settings;
  if (processEntryPointTimeouts) {
    return Object.entries(processEntryPointTimeouts)
      .map(([key, minutes]) => `${key} is ${minutes === null ? 'not set' : `${minutes} min`}`)
      .join(', ');
  }
  if (maxDatabaseResults !== undefined) return `the maximum is ${maxDatabaseResults}`;
  if (disabled !== undefined) return `the app is ${disabled ? 'disabled' : 'enabled'}`;
  return `the app is ${locked ? 'locked' : 'unlocked'}`;
}

/**
 * Splits a change into ordered patches: as specified, a renamed entry point is removed before its
 * replacement is added.
 */
export function toSteps(after: ChangedSettings): readonly ChangedSettings[] {
  const timeouts = Object.entries(after.processEntryPointTimeouts ?? {});
  if (timeouts.length < 2) return [after];
  const ordered = timeouts.toSorted(([, one], [, other]) => Number(one !== null) - Number(other !== null));
  return ordered.map(([key, minutes]) => ({ processEntryPointTimeouts: { [key]: minutes } }));
}

function serialize({ processEntryPointTimeouts = {}, maxDatabaseResults, disabled, locked }: ChangedSettings): string {
  const timeouts = Object.entries(processEntryPointTimeouts).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify({ timeouts, maxDatabaseResults, disabled, locked });
}
