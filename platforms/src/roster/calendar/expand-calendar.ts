import { byStart, type Shift, type Span, touches } from '../roster-source.ts';
import { type FeedCalendar, type Property, readCalendars } from './calendar-lines.ts';
import { FeedClocks, type FeedTime } from './feed-clocks.ts';
import { endOf, type FeedEvent, readEvent } from './feed-event.ts';
import { onClock, type Reach, type Steps, startsOf } from './recurrence.ts';

const mostSteps = 500_000;
const mostShifts = 200_000;
const dayMs = 86_400_000;

/**
 * The turns of an iCalendar feed, for each span those that touch it, whole and earliest first. Throws an Error whose message
 * ends the sentence "The calendar cannot be read: …". A rule that never comes true can keep it busy for ever: call it where
 * it can be ended.
 *
 * @param timeZone For days, and for times that name no zone
 */
export function expandCalendar(text: string, spans: readonly Span[], timeZone: string): Shift[][] {
  const reach = {
    from: Math.min(...spans.map(({ from }) => from.getTime())),
    to: Math.max(...spans.map(({ to }) => to.getTime())),
  };
  const steps = { left: mostSteps };
  const shifts: Shift[] = [];
  for (const calendar of readCalendars(text)) {
    const clocks = new FeedClocks(calendar, timeZone);
    for (const events of eventsByUid(calendar, clocks)) {
      for (const { name, from, to } of turnsOf(events, clocks, reach, steps)) {
        if (to <= from || to <= reach.from || from >= reach.to) continue;
        if (shifts.length === mostShifts) throw new Error(`it holds more than ${mostShifts} events in that time`);
        shifts.push({ personId: name, name, start: new Date(from), end: new Date(to) });
      }
    }
  }
  shifts.sort(byStart);
  return spans.map((span) => shifts.filter((shift) => touches(shift, span)));
}

/** An event with those that stand in for single turns of it. Events without a UID stand alone. */
function eventsByUid(calendar: FeedCalendar, clocks: FeedClocks): Iterable<FeedEvent[]> {
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

interface Turn {
  readonly name: string;
  /** Instants. */
  readonly from: number;
  readonly to: number;
}

function* turnsOf(events: readonly FeedEvent[], clocks: FeedClocks, reach: Reach, steps: Steps): Iterable<Turn> {
  const overrides = events.filter(({ replaces }) => replaces);
  for (const override of overrides) yield* turnAt(override, override.start);
  for (const event of events) {
    if (event.replaces) continue;
    const { start } = event;
    const changes = overrides.flatMap((other) =>
      other.replaces ? [changeBy(other, other.replaces, start, clocks)] : [],
    );
    const replaced = new Set(changes.map(({ at }) => at));
    const lasting = changes.filter(({ isLasting }) => isLasting).sort((one, other) => other.at - one.at);
    const lengthMs = Math.max(0, endOf(event, start) - start.clock.toInstant(start.wallMs));
    // A turn from before the reach may end within it; a day more, for clocks that change.
    const wide = { from: reach.from - lengthMs - dayMs, to: reach.to };
    for (const wallMs of startsOf(event, clocks, wide, steps)) {
      if (replaced.has(wallMs)) continue;
      const change = lasting.find(({ at }) => at < wallMs);
      if (change) yield* turnAt(change.event, { ...change.event.start, wallMs: wallMs + change.laterMs });
      else yield* turnAt(event, { ...start, wallMs });
    }
  }
}

/** What stands in for the turn that would begin at `at`, by the event's clock; for all after it too where it is lasting. */
interface Change {
  readonly at: number;
  readonly event: FeedEvent;
  readonly laterMs: number;
  readonly isLasting: boolean;
}

function changeBy(event: FeedEvent, replaced: Property, start: FeedTime, clocks: FeedClocks): Change {
  const time = clocks.readOne(replaced);
  const laterMs = event.start.wallMs - onClock(time, event.start);
  return { at: onClock(time, start), event, laterMs, isLasting: replaced.parameters.get('RANGE') === 'THISANDFUTURE' };
}

function* turnAt(event: FeedEvent, start: FeedTime): Iterable<Turn> {
  if (event.isCancelled) return;
  yield { name: event.name, from: start.clock.toInstant(start.wallMs), to: endOf(event, start) };
}
