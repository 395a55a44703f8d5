import type { Span } from '../roster-source.ts';
import { type FeedCalendar, type Property, readCalendars } from './calendar-lines.ts';
import { FeedClocks, type FeedTime } from './feed-clocks.ts';
import { endOf, type FeedEvent, readEvent } from './feed-event.ts';
import { type PackedShifts, packShifts, type Turn } from './packed-shifts.ts';
import { onClock, type Reach, type Steps, startsOf } from './recurrence.ts';

const mostSteps = 500_000;
const mostShifts = 200_000;
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
  const wanted = spans.map(({ from, to }): Reach => ({ from: from.getTime(), to: to.getTime() }));
  const reach = { from: Math.min(...wanted.map(({ from }) => from)), to: Math.max(...wanted.map(({ to }) => to)) };
  const steps = { left: mostSteps };
  const turns: Turn[] = [];
  const add = (turn: Turn) => {
    if (turn.to <= turn.from || !touches(turn, reach)) return;
    if (turns.length === mostShifts) throw new Error(`it holds more than ${mostShifts} events in that time`);
    turns.push(turn);
  };
  for (const calendar of readCalendars(text)) {
    const clocks = new FeedClocks(calendar, timeZone);
    for (const events of eventsByUid(calendar, clocks)) addTurnsOf(events, clocks, reach, steps, add);
  }
  turns.sort((one, other) => one.from - other.from || one.name.localeCompare(other.name));
  return packShifts(wanted.map((span) => turns.filter((turn) => touches(turn, span))));
}

function touches(turn: Turn, { from, to }: Reach): boolean {
  return turn.from < to && turn.to > from;
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

function addTurnsOf(
  events: readonly FeedEvent[],
  clocks: FeedClocks,
  reach: Reach,
  steps: Steps,
  add: (turn: Turn) => void,
): void {
  const overrides = events.filter(({ replaces }) => replaces);
  for (const override of overrides) addTurn(override, override.start, add);
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
      if (change) addTurn(change.event, { ...change.event.start, wallMs: wallMs + change.laterMs }, add);
      else addTurn(event, wallMs === start.wallMs ? start : { ...start, wallMs }, add);
    }
  }
}

function addTurn(event: FeedEvent, start: FeedTime, add: (turn: Turn) => void): void {
  if (event.isCancelled) return;
  add({ name: event.name, from: start.clock.toInstant(start.wallMs), to: endOf(event, start) });
}

/**
 * What stands in for the turn that would begin at `at`, by the event's clock; for all after it too
 * where it is lasting.
 */
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
