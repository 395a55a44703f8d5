import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import { areEqual, type ChangedSettings, describeChange, describeState, pickSettings } from './changed-settings.ts';

/**
 * Compares the configuration after a change with the one before it and what was requested. Returns
 * a message if a requested setting has another value, or if another setting changed as well.
 */
export function describeDifferences(
  before: HeliumAppConfig,
  requested: ChangedSettings,
  now: HeliumAppConfig,
): string | null {
  const actual = pickSettings(now, requested);
  const others = splitSettings(before, now)
    .filter((setting) => !isPartOf(setting, requested))
    .map((setting) => [pickSettings(before, setting), pickSettings(now, setting)] as const)
    .filter(([old, current]) => !areEqual(old, current))
    .map(([old, current]) => describeChange(old, current));
  const isAsRequested = areEqual(actual, requested);
  if (isAsRequested && others.length === 0) return null;
  const sentences = [
    isAsRequested
      ? 'the platform made the change, and others with it.'
      : `the platform accepted the change, but the setting reads back differently: ${describeState(actual)}.`,
    ...(others.length > 0 ? [`Changed as well: ${others.join('; ')}.`] : []),
  ];
  return `Not as requested: ${sentences.join(' ')}`;
}

/** Returns every setting of two configurations on its own. */
function splitSettings(one: HeliumAppConfig, other: HeliumAppConfig): ChangedSettings[] {
  const { maxDatabaseResults, disabled, locked } = one;
  const timeouts = { ...one.processEntryPointTimeouts, ...other.processEntryPointTimeouts };
  return [
    ...Object.entries(timeouts).map(([name, minutes]) => ({ processEntryPointTimeouts: { [name]: minutes } })),
    { maxDatabaseResults },
    { disabled },
    { locked },
  ];
}

function isPartOf(setting: ChangedSettings, requested: ChangedSettings): boolean {
  const { processEntryPointTimeouts: timeouts, ...flags } = setting;
  if (timeouts)
    return Object.keys(timeouts).some((name) => Object.hasOwn(requested.processEntryPointTimeouts ?? {}, name));
  return Object.keys(flags).some((name) => Object.hasOwn(requested, name));
}
