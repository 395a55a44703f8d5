import { getTimeoutTone, parseEntryPoint, type Tone, viewScope } from '@portal/contract/app-config';
import type { ScheduledEvent } from '@portal/contract/scheduled-functions';

/** A row of the timeouts table. */
export interface EntryPointRow {
  /** "scope:name", as stored by the platform. */
  readonly key: string;
  readonly timeoutMins: number;
  readonly tone: Tone;
  readonly isView: boolean;
}

export function toEntryPointRows(timeoutMinsByKey: Readonly<Record<string, number>>): EntryPointRow[] {
  return Object.entries(timeoutMinsByKey).map(([key, timeoutMins]) => ({
    key,
    timeoutMins,
    tone: getTimeoutTone(timeoutMins, 'row'),
    isView: parseEntryPoint(key).scope === viewScope,
  }));
}

/**
 * Returns the timeout of an entry point in minutes, or null if none is set. Changes expect this
 * value.
 */
export function getTimeoutMins(timeoutMinsByKey: Readonly<Record<string, number>>, entryPoint: string): number | null {
  return Object.hasOwn(timeoutMinsByKey, entryPoint) ? (timeoutMinsByKey[entryPoint] ?? null) : null;
}

/** Returns the sorted, unique units of an app's scheduled functions. */
export function getUnits(events: readonly ScheduledEvent[]): string[] {
  return [...new Set(events.map((event) => event.unit))].sort((a, b) => a.localeCompare(b));
}

/** Returns the functions of a unit, or of all units while none is selected. */
export function getFunctions(events: readonly ScheduledEvent[], unit: string): string[] {
  const target = unit.trim();
  const unitEvents = events.filter((event) => target === '' || event.unit === target);
  return [...new Set(unitEvents.map((event) => event.event))].sort((a, b) => a.localeCompare(b));
}

/**
 * Formats minutes as "15 min". Does not convert to hours, because minutes are what users select.
 */
export function formatMinutes(timeoutMins: number): string {
  return `${timeoutMins} min`;
}

/** Text labels of the tones, so that color is not the only signal. */
export const labelByTone: Readonly<Record<Tone, string | null>> = {
  primary: null,
  success: null,
  warning: 'long',
  danger: 'very long',
};
