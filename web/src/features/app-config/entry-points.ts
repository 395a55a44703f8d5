import { getTimeoutTone, parseEntryPoint, type Tone, viewScope } from '@portal/contract/app-config';
import type { ScheduledEvent } from '@portal/contract/scheduled-functions';

/** A row of the timeouts table. */
export interface EntryPointRow {
  /** "scope:name" as the platform keeps it. */
  readonly key: string;
  readonly timeoutMins: number;
  readonly tone: Tone;
  readonly isView: boolean;
}

export function entryPointRowsOf(timeoutMinsByKey: Readonly<Record<string, number>>): EntryPointRow[] {
  return Object.entries(timeoutMinsByKey).map(([key, timeoutMins]) => ({
    key,
    timeoutMins,
    tone: getTimeoutTone(timeoutMins, 'row'),
    isView: parseEntryPoint(key).scope === viewScope,
  }));
}

/** Minutes set for an entry point, null when none are: what a change expects to find. */
export function timeoutMinsOf(timeoutMinsByKey: Readonly<Record<string, number>>, entryPoint: string): number | null {
  return Object.hasOwn(timeoutMinsByKey, entryPoint) ? (timeoutMinsByKey[entryPoint] ?? null) : null;
}

/** The units of an app's scheduled functions, each once, in order. */
export function unitsOf(events: readonly ScheduledEvent[]): string[] {
  return [...new Set(events.map((event) => event.unit))].sort((a, b) => a.localeCompare(b));
}

/** The functions of one unit; of all units while none is chosen. */
export function functionsOf(events: readonly ScheduledEvent[], unit: string): string[] {
  const wanted = unit.trim();
  const ofUnit = events.filter((event) => wanted === '' || event.unit === wanted);
  return [...new Set(ofUnit.map((event) => event.event))].sort((a, b) => a.localeCompare(b));
}

/** "15 min": minutes stay minutes, because that is what is chosen and what the platform keeps. */
export function minutesText(timeoutMins: number): string {
  return `${timeoutMins} min`;
}

/** The tones' words, so that nothing is told by colour alone. */
export const wordByTone: Readonly<Record<Tone, string | null>> = {
  primary: null,
  success: null,
  warning: 'long',
  danger: 'very long',
};
