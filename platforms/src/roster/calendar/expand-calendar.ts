import type { Span } from '../roster-source.ts';
import { FeedClocks, type FeedTime } from './feed-clocks.ts';
import { type FeedEvent, getEnd, readEvent } from './feed-event.ts';
import { type Occurrence, type PackedShifts, packShifts } from './packed-shifts.ts';
import { type FeedCalendar, type Property, parseCalendars } from './parse-calendar.ts';
import { listStarts, type StepBudget, type TimeRange, toLocalMsOnClock } from './recurrence.ts';

const maxSteps = 500_000;
const maxShifts = 200_000;
const dayMs = 86_400_000;

/**
 * The turns of an iCalendar feed, for each span those that touch it, whole and earliest first,
 * those of the same moment by name. Throws an Error whose message ends the sentence "The calendar
 * cannot be read: …". A rule that never comes true can keep it busy for ever: call it where it can
 * be ended.
 *
 * @param timeZone For days, and for times that name no zone
 */
export function expandCalendar(text: string, spans: readonly Span[], timeZone: string): PackedShifts {
  const ranges = spans.map(({ from, to }): TimeRange => ({ from: from.getTime(), to: to.getTime() }));
  const range = { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) };
  const budget = { left: maxSteps };
  const occurrences: Occurrence[] = [];
  const add = (occurrence: Occurrence) => {
    if (occurrence.to <= occurrence.from || !touches(occurrence, range)) return;
    if (occurrences.length === maxShifts) throw new Error(`it holds more than ${maxShifts} events in that time`);
    occurrences.push(occurrence);
  };
  for (const calendar of parseCalendars(text)) {
    const clocks = new FeedClocks(calendar, timeZone);
    for (const events of groupByUid(calendar, clocks)) addOccurrences(events, clocks, range, budget, add);
  }
  occurrences.sort((one, other) => one.from - other.from || one.name.localeCompare(other.name));
  return packShifts(ranges.map((span) => occurrences.filter((occurrence) => touches(occurrence, span))));
}

function touches(occurrence: Occurrence, { from, to }: TimeRange): boolean {
  return occurrence.from < to && occurrence.to > from;
}

/** An event with those that stand in for single turns of it. Events without a UID stand alone. */
function groupByUid(calendar: FeedCalendar, clocks: FeedClocks): Iterable<FeedEvent[]> {
  const groups = new Map<unknown, FeedEvent[]>();
  for (const properties of calendar.events) {
    const event = readEvent(properties, clocks);
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
    const lasting = changes.filter(({ isLasting }) => isLasting).sort((one, other) => other.at - one.at);
    const lengthMs = Math.max(0, getEnd(event, start) - start.clock.toInstant(start.localMs));
    // A turn from before the reach may end within it; a day more, for clocks that change.
    const widened = { from: range.from - lengthMs - dayMs, to: range.to };
    for (const localMs of listStarts(event, clocks, widened, budget)) {
      if (replaced.has(localMs)) continue;
      const change = lasting.find(({ at }) => at < localMs);
      if (change) addOccurrence(change.event, { ...change.event.start, localMs: localMs + change.laterMs }, add);
      else addOccurrence(event, localMs === start.localMs ? start : { ...start, localMs }, add);
    }
  }
}

function addOccurrence(event: FeedEvent, start: FeedTime, add: (occurrence: Occurrence) => void): void {
  if (event.isCancelled) return;
  add({ name: event.name, from: start.clock.toInstant(start.localMs), to: getEnd(event, start) });
}

/**
 * What stands in for the turn that would begin at `at`, by the event's clock; for all after it too
 * where it is lasting.
 */
interface Override {
  readonly at: number;
  readonly event: FeedEvent;
  readonly laterMs: number;
  readonly isLasting: boolean;
}

function toChange(event: FeedEvent, replaced: Property, start: FeedTime, clocks: FeedClocks): Override {
  const time = clocks.readOne(replaced);
  const laterMs = event.start.localMs - toLocalMsOnClock(time, event.start);
  return {
    at: toLocalMsOnClock(time, start),
    event,
    laterMs,
    isLasting: replaced.parameters.get('RANGE') === 'THISANDFUTURE',
  };
}
