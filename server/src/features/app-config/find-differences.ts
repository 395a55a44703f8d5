import { shortenValue } from '@portal/kit/shorten-value';
import type { AppConfigReading } from '@portal/platforms/helium/client';
import type { HeliumAppConfig } from '@portal/platforms/helium/wire';
import { areEqual, type ChangedSettings, describeChange, describeState, pickSettings } from './changed-settings.ts';

/**
 * Compares the configuration after a change with the one before it and what was requested. Returns
 * a message if a requested setting has another value, or if another setting changed as well. Fields
 * that the portal does not know may change, but must not be lost.
 */
export function describeDifferences(
  before: AppConfigReading,
  requested: ChangedSettings,
  now: AppConfigReading,
): string | null {
  const actual = pickSettings(now, requested);
  const others = [
    ...splitSettings(before, now)
      .filter((setting) => !isPartOf(setting, requested))
      .map((setting) => [pickSettings(before, setting), pickSettings(now, setting)] as const)
      .filter(([old, current]) => !areEqual(old, current))
      .map(([old, current]) => describeChange(old, current)),
    ...describeMessages(before, requested, now),
    ...before.otherFields
      .filter((field) => !now.otherFields.includes(field))
      .map((field) => `Field ${shortenValue(field)} removed`),
  ];
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

const flags = ['disabled', 'locked'] as const;

/** Describes messages that changed although their flag did not, and was not requested to. */
function describeMessages(before: HeliumAppConfig, requested: ChangedSettings, now: HeliumAppConfig): string[] {
  return flags.flatMap((flag) => {
    const [old, current] = [before[`${flag}Message`], now[`${flag}Message`]];
    if (requested[flag] !== undefined || before[flag] !== now[flag] || old === current) return [];
    const message = flag === 'disabled' ? 'Disabled message' : 'Locked message';
    if (old === null) return [`${message} set to ${quote(current)}`];
    if (current === null) return [`${message} removed (was ${quote(old)})`];
    return [`${message} ${quote(old)} → ${quote(current)}`];
  });
}

/**
 * Returns a note if the platform has another message than the one that was sent with its flag. That
 * is no failure, because the app is disabled or locked, and a platform may lack messages.
 */
export function describeOtherMessage(requested: ChangedSettings, now: HeliumAppConfig): string | undefined {
  const flag = flags.find(
    (each) =>
      requested[each] && requested[`${each}Message`] != null && requested[`${each}Message`] !== now[`${each}Message`],
  );
  if (flag === undefined) return undefined;
  const current = now[`${flag}Message`];
  return `The ${flag} message reads back differently: it is ${current === null ? 'not set' : quote(current)}.`;
}

function quote(message: string | null): string {
  return `"${shortenValue(message ?? '')}"`;
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
