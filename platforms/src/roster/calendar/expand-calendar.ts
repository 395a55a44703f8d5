import ICAL from 'ical.js';
import { byStart, type Shift, type Span, touches } from '../roster-source.ts';
import { FeedClocks, type FeedTime } from './feed-clocks.ts';
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
  for (const calendar of parseCalendars(text)) {
    const clocks = new FeedClocks(calendar, timeZone);
    for (const events of eventsByUid(calendar)) {
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

function parseCalendars(text: string): ICAL.Component[] {
  let parsed: unknown;
  try {
    parsed = ICAL.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`it is not iCalendar (${error instanceof Error ? error.message.slice(0, 100) : 'unknown reason'})`);
  }
  const several: unknown[] = Array.isArray(parsed) ? (Array.isArray(parsed[0]) ? parsed : [parsed]) : [];
  const calendars = several.filter((one): one is unknown[] => Array.isArray(one) && one[0] === 'vcalendar');
  if (calendars.length === 0) throw new Error('it is not iCalendar (there is no VCALENDAR in it)');
  return calendars.map((calendar) => new ICAL.Component(calendar));
}

/** An event with those that stand in for single turns of it. Events without a UID stand alone. */
function eventsByUid(calendar: ICAL.Component): Iterable<ICAL.Component[]> {
  const groups = new Map<unknown, ICAL.Component[]>();
  for (const event of calendar.getAllSubcomponents('vevent')) {
    const uid = event.getFirstPropertyValue('uid') ?? event;
    const group = groups.get(uid);
    if (group) group.push(event);
    else groups.set(uid, [event]);
  }
  return groups.values();
}

interface Turn {
  readonly name: string;
  /** Instants. */
  readonly from: number;
  readonly to: number;
}

function* turnsOf(events: readonly ICAL.Component[], clocks: FeedClocks, reach: Reach, steps: Steps): Iterable<Turn> {
  const overrides = events.filter((event) => event.hasProperty('recurrence-id'));
  for (const override of overrides) yield* turnAt(override, startOf(override, clocks), clocks);
  for (const event of events) {
    if (event.hasProperty('recurrence-id')) continue;
    const start = startOf(event, clocks);
    const changes = overrides.map((override) => changeBy(override, start, clocks));
    const replaced = new Set(changes.map(({ at }) => at));
    const lasting = changes.filter(({ isLasting }) => isLasting).sort((one, other) => other.at - one.at);
    const lengthMs = lengthOf(event, start, clocks);
    // A turn from before the reach may end within it; a day more, for clocks that change.
    const wide = { from: reach.from - lengthMs - dayMs, to: reach.to };
    for (const wallMs of startsOf(event, start, clocks, wide, steps)) {
      if (replaced.has(wallMs)) continue;
      const change = lasting.find(({ at }) => at < wallMs);
      if (change) yield* turnAt(change.event, { ...change.start, wallMs: wallMs + change.laterMs }, clocks);
      else yield* turnAt(event, { ...start, wallMs }, clocks);
    }
  }
}

/** What stands in for the turn that would begin at `at`, by the event's clock; for all after it too where it is lasting. */
interface Change {
  readonly at: number;
  readonly event: ICAL.Component;
  readonly start: FeedTime;
  readonly laterMs: number;
  readonly isLasting: boolean;
}

function changeBy(event: ICAL.Component, start: FeedTime, clocks: FeedClocks): Change {
  const property = event.getFirstProperty('recurrence-id');
  const [replaced] = clocks.read(property) ?? [];
  if (!replaced) throw new Error('a RECURRENCE-ID cannot be read');
  const own = startOf(event, clocks);
  const at = onClock(replaced, start);
  const isLasting = property?.getFirstParameter('range') === 'THISANDFUTURE';
  return { at, event, start: own, laterMs: own.wallMs - onClock(replaced, own), isLasting };
}

function startOf(event: ICAL.Component, clocks: FeedClocks): FeedTime {
  const [start] = clocks.read(event.getFirstProperty('dtstart')) ?? [];
  if (!start) throw new Error('an event in it has no start');
  return start;
}

function* turnAt(event: ICAL.Component, start: FeedTime, clocks: FeedClocks): Iterable<Turn> {
  if (event.getFirstPropertyValue('status') === 'CANCELLED') return;
  const from = start.clock.toInstant(start.wallMs);
  yield { name: nameOf(event), from, to: endOf(event, start, from, clocks) };
}

/**
 * A turn that is written from 08:00 to 08:00 ends at 08:00 also in a week in which the clocks change, as calendars show
 * it; only where its ends are told by different clocks does its length count.
 */
function endOf(event: ICAL.Component, { wallMs, clock, isDate }: FeedTime, from: number, clocks: FeedClocks): number {
  const duration = event.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration) {
    const { weeks, days, hours, minutes, seconds, isNegative } = duration;
    if (isNegative) return from;
    return clock.toInstant(wallMs + (weeks * 7 + days) * dayMs) + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  }
  const [end] = clocks.read(event.getFirstProperty('dtend')) ?? [];
  if (!end) return isDate ? clock.toInstant(wallMs + dayMs) : from;
  const start = startOf(event, clocks);
  if (end.clock.name === start.clock.name) return clock.toInstant(wallMs + end.wallMs - start.wallMs);
  return from + end.clock.toInstant(end.wallMs) - start.clock.toInstant(start.wallMs);
}

function lengthOf(event: ICAL.Component, start: FeedTime, clocks: FeedClocks): number {
  const from = start.clock.toInstant(start.wallMs);
  return Math.max(0, endOf(event, start, from, clocks) - from);
}

/** Its summary; where that is empty, the one who is invited. */
function nameOf(event: ICAL.Component): string {
  const summary = event.getFirstPropertyValue('summary');
  const invited = event.getFirstProperty('attendee')?.getFirstParameter('cn');
  const name = (typeof summary === 'string' ? summary : '').trim() || (invited ?? '').trim();
  return name.replace(/\s+/g, ' ').slice(0, 200) || 'Nobody named';
}
