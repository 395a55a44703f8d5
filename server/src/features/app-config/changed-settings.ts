import type { HeliumAppConfigPatch } from '@portal/platforms/helium/wire';

/**
 * The settings a change is about, with the values they have before or after it: the platform's own
 * patch, in which null means that an entry point has no time-out of its own.
 */
export type ChangedSettings = HeliumAppConfigPatch;

/**
 * The values that the settings named in `changed` have in a configuration, or in another change.
 */
export function valuesIn(config: ChangedSettings, changed: ChangedSettings): ChangedSettings {
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

/** Whether both say the same; the messages go with their flags and do not count. */
export function areSame(one: ChangedSettings, other: ChangedSettings): boolean {
  return textOf(one) === textOf(other);
}

/** "Entry point Nightly:closeOldVisits 15 → 20 min" */
export function describeChange(before: ChangedSettings, after: ChangedSettings): string {
  const was = before.processEntryPointTimeouts ?? {};
  const is = after.processEntryPointTimeouts ?? {};
  const removed = Object.keys(was).find((key) => was[key] !== null && is[key] === null);
  const added = Object.keys(is).find((key) => is[key] !== null && (was[key] ?? null) === null);
  if (removed && added) return `Entry point ${removed} ${was[removed]} min → ${added} ${is[added]} min`;
  if (removed) return `Entry point ${removed} removed (was ${was[removed]} min)`;
  if (added) return `Entry point ${added} set to ${is[added]} min`;
  const key = Object.keys(is)[0];
  if (key !== undefined) return `Entry point ${key} ${was[key] ?? 'not set'} → ${is[key] ?? 'not set'} min`;
  if (after.maxDatabaseResults !== undefined)
    return `Maximum database results ${before.maxDatabaseResults} → ${after.maxDatabaseResults}`;
  if (after.disabled !== undefined) return after.disabled ? 'App disabled' : 'App enabled';
  return after.locked ? 'App locked' : 'App unlocked';
}

/** What is so now, for somebody who expected something else. */
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
 * The patches that make a change, in order: an entry point that goes away is removed before the one
 * that takes its place is added, as specified.
 */
export function stepsOf(after: ChangedSettings): readonly ChangedSettings[] {
  const timeouts = Object.entries(after.processEntryPointTimeouts ?? {});
  if (timeouts.length < 2) return [after];
  const ordered = timeouts.toSorted(([, one], [, other]) => Number(one !== null) - Number(other !== null));
  return ordered.map(([key, minutes]) => ({ processEntryPointTimeouts: { [key]: minutes } }));
}

function textOf({ processEntryPointTimeouts = {}, maxDatabaseResults, disabled, locked }: ChangedSettings): string {
  const timeouts = Object.entries(processEntryPointTimeouts).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify({ timeouts, maxDatabaseResults, disabled, locked });
}
