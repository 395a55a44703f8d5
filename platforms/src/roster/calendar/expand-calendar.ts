import type { Span } from '../roster-source.ts';
import { FeedClocks, type FeedTime } from './feed-clocks.ts';
import { type FeedEvent, getEnd, readEvent } from './feed-event.ts';
import { type Occurrence, type PackedShifts, packShifts } from './packed-shifts.ts';
import { type FeedCalendar, type Property, parseCalendars } from './parse-calendar.ts';
import { type NamingRules, PeopleOfEvents } from './people-of-event.ts';
import { listStarts, type StepBudget, type TimeRange, toLocalMsOnClock } from './recurrence.ts';

const maxSteps = 500_000;
const maxShifts = 200_000;
const dayMs = 86_400_000;

/**
 * Expands the shifts of an iCalendar feed. For each span, returns the shifts that overlap it,
 * unclipped, sorted by start and then name. Throws an Error whose message completes the sentence
 * "The calendar cannot be read: …". A rule that never matches can run forever, so call it where it
 * can be terminated.
 *
 * @param timeZone the zone of all-day events and of times without a zone
 */
export function expandCalendar(
  text: string,
  spans: readonly Span[],
  timeZone: string,
  naming: NamingRules = {},
): PackedShifts {
  const people = new PeopleOfEvents(naming);
  const ranges = spans.map(({ from, to }): TimeRange => ({ from: from.getTime(), to: to.getTime() }));
  const range = { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) };
  const budget = { remaining: maxSteps };
  const occurrences: Occurrence[] = [];
  const add = (occurrence: Occurrence) => {
    if (occurrence.to <= occurrence.from || !overlaps(occurrence, range)) return;
    if (occurrences.length === maxShifts) throw new Error(`it has more than ${maxShifts} events in that time`);
    occurrences.push(occurrence);
  };
  for (const calendar of parseCalendars(text)) {
    const clocks = new FeedClocks(calendar, timeZone);
    for (const events of groupByUid(calendar, clocks, people)) addOccurrences(events, clocks, range, budget, add);
  }
  occurrences.sort((one, other) => one.from - other.from || one.name.localeCompare(other.name));
  const named = people.findHiddenTitle() === undefined ? occurrences : [];
  const shifts = ranges.map((span) => named.filter((occurrence) => overlaps(occurrence, span)));
  return packShifts(shifts, people.describe());
}

function overlaps(occurrence: Occurrence, { from, to }: TimeRange): boolean {
  return occurrence.from < to && occurrence.to > from;
}

/**
 * Groups events with the overrides of their occurrences. Events without a UID form their own
 * groups.
 */
function groupByUid(calendar: FeedCalendar, clocks: FeedClocks, people: PeopleOfEvents): Iterable<FeedEvent[]> {
  const groups = new Map<unknown, FeedEvent[]>();
  for (const properties of calendar.events) {
    const event = readEvent(properties, clocks, people);
    const key = event.uid ?? event;
    const group = groups.get(key);
    if (group) group.push(event);
    else groups.set(key, [event]);
  }
  return groups.values();
}

function addOccurrences(
  events: readonly FeedEvent[],
  clocks: FeedClocks,
  range: TimeRange,
  budget: StepBudget,
  add: (occurrence: Occurrence) => void,
): void {
  const overrides = events.filter(({ replaces }) => replaces);
  for (const override of overrides) addOccurrence(override, override.start, add);
  for (const event of events) {
    if (event.replaces) continue;
    const { start } = event;
    const changes = overrides.flatMap((other) =>
      other.replaces ? [toChange(other, other.replaces, start, clocks)] : [],
    );
    const replaced = new Set(changes.map(({ at }) => at));
    const lastingChanges = changes
      .filter(({ appliesToLater }) => appliesToLater)
      .sort((one, other) => other.at - one.at);
    const lengthMs = Math.max(0, getEnd(event, start) - start.clock.toInstant(start.localMs));
    // An occurrence that starts before the range may end within it. The extra day covers clock
    // changes.
    const widened = { from: range.from - lengthMs - dayMs, to: range.to };
    for (const localMs of listStarts(event, clocks, widened, budget)) {
      if (replaced.has(localMs)) continue;
      const change = lastingChanges.find(({ at }) => at < localMs);
      if (change) addOccurrence(change.event, { ...change.event.start, localMs: localMs + change.laterMs }, add);
      else addOccurrence(event, localMs === start.localMs ? start : { ...start, localMs }, add);
    }
  }
}

function addOccurrence(event: FeedEvent, start: FeedTime, add: (occurrence: Occurrence) => void): void {
  if (event.isCanceled) return;
  const [from, to] = [start.clock.toInstant(start.localMs), getEnd(event, start)];
  for (const name of event.people) add({ name, from, to });
}

/**
 * Replaces the occurrence that would start at `at`, by the event's clock, and all later ones if it
 * is lasting.
 */
interface OccurrenceChange {
  readonly at: number;
  readonly event: FeedEvent;
  readonly laterMs: number;
  readonly appliesToLater: boolean;
}

function toChange(event: FeedEvent, replaced: Property, start: FeedTime, clocks: FeedClocks): OccurrenceChange {
  const time = clocks.readOne(replaced);
  const laterMs = event.start.localMs - toLocalMsOnClock(time, event.start);
  return {
    at: toLocalMsOnClock(time, start),
    event,
    laterMs,
    appliesToLater: replaced.parameters.get('RANGE') === 'THISANDFUTURE',
  };
}
