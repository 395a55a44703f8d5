import type { Property } from './read-line.ts';

/** The properties of an event by name: the first of each, or all that define when it recurs. */
export interface EventProperties {
  uid: Property | undefined;
  summary: Property | undefined;
  status: Property | undefined;
  start: Property | undefined;
  end: Property | undefined;
  duration: Property | undefined;
  replaces: Property | undefined;
  /** RRULE, EXRULE, RDATE and EXDATE. */
  recurring: readonly Property[];
}

const none: readonly Property[] = [];

/** A map of each event's properties would take a noticeable part of the time for a feed. */
export function sortProperties(properties: readonly Property[]): Readonly<EventProperties> {
  const sorted: EventProperties = {
    uid: undefined,
    summary: undefined,
    status: undefined,
    start: undefined,
    end: undefined,
    duration: undefined,
    replaces: undefined,
    recurring: none,
  };
  for (const property of properties) addProperty(sorted, property);
  return sorted;
}

function addProperty(sorted: EventProperties, property: Property): void {
  switch (property.name) {
    case 'UID':
      sorted.uid ??= property;
      break;
    case 'SUMMARY':
      sorted.summary ??= property;
      break;
    case 'STATUS':
      sorted.status ??= property;
      break;
    case 'DTSTART':
      sorted.start ??= property;
      break;
    case 'DTEND':
      sorted.end ??= property;
      break;
    case 'DURATION':
      sorted.duration ??= property;
      break;
    case 'RECURRENCE-ID':
      sorted.replaces ??= property;
      break;
    case 'RRULE':
    case 'EXRULE':
    case 'RDATE':
    case 'EXDATE':
      sorted.recurring = [...sorted.recurring, property];
      break;
  }
}
