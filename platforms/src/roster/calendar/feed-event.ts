import { readLength } from './event-length.ts';
import { type EventProperties, sortProperties } from './event-properties.ts';
import type { FeedTime, Length } from './feed-time.ts';
import type { FeedComponent } from './parse-calendar.ts';
import type { PeopleOfEvents } from './people-of-event.ts';
import { type Recurrence, readRecurrence } from './read-recurrence.ts';
import { Unreadable } from './unreadable.ts';
import type { FeedClocks } from './zones/feed-clocks.ts';

/** The occurrence of another event that an event replaces, or all from that one on. */
interface ReplacedOccurrence {
  readonly time: FeedTime;
  readonly appliesToLater: boolean;
}

/** A parsed VEVENT, reused for every occurrence. */
export interface FeedEvent {
  readonly component: FeedComponent;
  /** Undefined for an event without overrides. */
  readonly uid: string | undefined;
  /** Who is on support; no one if it is no shift. */
  readonly people: readonly string[];
  readonly isCanceled: boolean;
  readonly start: FeedTime;
  readonly length: Length;
  /** Undefined for an event that takes place once. */
  readonly recurrence: Recurrence | undefined;
  readonly replaces: ReplacedOccurrence | undefined;
}

/** Throws Unreadable. */
export function readEvent(component: FeedComponent, clocks: FeedClocks, people: PeopleOfEvents): FeedEvent {
  if (component.damage !== undefined) throw new Unreadable(component.damage);
  const properties = sortProperties(component.properties);
  const { uid, status, start: starts, recurring } = properties;
  if (!starts) throw new Unreadable('it has no start');
  const start = clocks.readTime(starts, starts.value);
  const replaces = readReplaced(properties, clocks);
  const isCanceled = status?.value.trim().toUpperCase() === 'CANCELLED';
  return {
    component,
    uid: uid?.value.trim() || undefined,
    people: isCanceled ? [] : people.read(component.properties),
    isCanceled,
    start,
    length: readLength(start, properties, clocks),
    recurrence: recurring.length > 0 && !replaces ? readRecurrence(recurring, start, clocks) : undefined,
    replaces,
  };
}

/**
 * Returns what replaces the occurrence of an event that cannot be read: nothing takes place, since
 * the event may be a swap, and the person it replaces is not on call. Returns undefined if it
 * replaces no occurrence, or that cannot be read either.
 */
export function readReplacement(component: FeedComponent, clocks: FeedClocks): FeedEvent | undefined {
  const properties = sortProperties(component.properties);
  try {
    const replaces = readReplaced(properties, clocks);
    if (!replaces) return undefined;
    const uid = properties.uid?.value.trim() || undefined;
    const length = { localMs: 0, exactMs: 0 };
    const { time: start } = replaces;
    return { component, uid, people: [], isCanceled: true, start, length, recurrence: undefined, replaces };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function readReplaced({ replaces }: EventProperties, clocks: FeedClocks): ReplacedOccurrence | undefined {
  if (!replaces) return undefined;
  const range = replaces.parameters.get('RANGE')?.toUpperCase();
  return { time: clocks.readTime(replaces, replaces.value), appliesToLater: range === 'THISANDFUTURE' };
}
