import type { Span } from '../roster-source.ts';
import { addSeries } from './add-series.ts';
import { describeEvent } from './event-name.ts';
import { chooseVersions } from './event-versions.ts';
import { type FeedEvent, readEvent, readReplacement } from './feed-event.ts';
import { OccurrenceList } from './occurrence-list.ts';
import { type PackedShifts, packShifts } from './packed-shifts.ts';
import { type FeedCalendar, type FeedComponent, parseCalendars } from './parse-calendar.ts';
import { type NamingRules, PeopleOfEvents } from './people-of-event.ts';
import type { TimeRange } from './recurrence.ts';
import { StepBudget } from './rules/step-budget.ts';
import { Unreadable } from './unreadable.ts';
import { WarningList } from './warning-list.ts';
import { FeedClocks } from './zones/feed-clocks.ts';

export interface ExpandedCalendar {
  readonly shifts: PackedShifts;
  /** Sentences about events and zones that could not be read. */
  readonly warnings: readonly string[];
  /** Sentences about events that are not shown. */
  readonly notes: readonly string[];
  /** Errors that are bugs and not the feed's fault. The warnings name the events they affect. */
  readonly bugs: readonly Error[];
}

/**
 * Expands the shifts of an iCalendar feed. For each span, returns the shifts that overlap it,
 * unclipped, sorted by start and then name. An event that cannot be read is skipped with a warning.
 * Throws Unreadable if there is no complete calendar, or none of its events can be read.
 *
 * @param timeZone the zone of all-day events and of times without a zone, unless the feed names one
 */
export function expandCalendar(
  text: string,
  spans: readonly Span[],
  timeZone: string,
  naming: NamingRules = {},
): ExpandedCalendar {
  const ranges = spans.map(({ from, to }): TimeRange => ({ from: from.getTime(), to: to.getTime() }));
  const range = { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) };
  const people = new PeopleOfEvents(naming);
  const expansion = new CalendarExpansion(range, people);
  for (const calendar of parseCalendars(text)) expansion.readCalendar(calendar, timeZone);
  expansion.expandEvents();
  const isHidden = people.findHiddenTitle() !== undefined;
  return {
    shifts: packShifts(isHidden ? ranges.map(() => []) : expansion.occurrences.listByRange(ranges)),
    notes: people.listNotes(),
    warnings: [...people.listWarnings(), ...expansion.warnings.list()],
    bugs: expansion.bugs,
  };
}

/** Events of all calendars of a feed, grouped by UID; one without a UID is its own group. */
class CalendarExpansion {
  readonly occurrences: OccurrenceList;
  readonly warnings = new WarningList();
  readonly bugs: Error[] = [];
  readonly #people: PeopleOfEvents;
  readonly #groups = new Map<unknown, FeedEvent[]>();
  readonly #budget = new StepBudget();
  readonly #failed = new Set<FeedComponent>();
  #events = 0;
  /** Events of calendars that cancel whatever they contain. */
  #cancellations = 0;
  #firstReason = '';

  constructor(range: TimeRange, people: PeopleOfEvents) {
    this.#people = people;
    this.occurrences = new OccurrenceList(range);
  }

  readCalendar(calendar: FeedCalendar, timeZone: string): void {
    const clocks = new FeedClocks(calendar, timeZone, (warning) => this.warnings.add(warning));
    const isCancellation = calendar.properties.some(
      ({ name, value }) => name === 'METHOD' && value.trim().toUpperCase() === 'CANCEL',
    );
    if (calendar.unreadableLines > 0)
      this.warnings.add(
        `Lines outside of events were skipped, because they have no name and value: ${calendar.unreadableLines}.`,
      );
    for (const component of calendar.events) {
      this.#events += 1;
      if (isCancellation) this.#cancellations += 1;
      const event = this.#readEvent(component, clocks);
      if (event) this.#addToGroup(isCancellation ? { ...event, isCanceled: true } : event);
    }
  }

  expandEvents(): void {
    if (this.#events > 0 && this.#cancellations === this.#events)
      this.warnings.add(
        'The calendar cancels all of its events (METHOD:CANCEL), so none is shown. Check whether its address is the right one.',
      );
    for (const group of this.#groups.values()) {
      const { events, overrides } = chooseVersions(group);
      for (const event of overrides) this.#expand(event, []);
      for (const event of events) this.#expand(event, overrides);
    }
    if (this.#events > 0 && this.#failed.size === this.#events)
      throw new Unreadable(`none of its events can be read: ${this.#firstReason}`);
  }

  #readEvent(component: FeedComponent, clocks: FeedClocks): FeedEvent | undefined {
    try {
      return readEvent(component, clocks, this.#people);
    } catch (error) {
      this.#fail(component, error);
      return readReplacement(component, clocks);
    }
  }

  #addToGroup(event: FeedEvent): void {
    const key = event.uid ?? event;
    const group = this.#groups.get(key);
    if (group) group.push(event);
    else this.#groups.set(key, [event]);
  }

  /** Adds all occurrences of an event, or none of them. */
  #expand(event: FeedEvent, overrides: readonly FeedEvent[]): void {
    const { count } = this.occurrences;
    this.#budget.startEvent();
    try {
      addSeries(event, overrides, this.occurrences, this.#budget);
    } catch (error) {
      this.occurrences.truncate(count);
      this.#fail(event.component, error);
    }
  }

  #fail(component: FeedComponent, error: unknown): void {
    if (!(error instanceof Unreadable)) this.bugs.push(error instanceof Error ? error : new Error(String(error)));
    this.#failed.add(component);
    const reason = error instanceof Unreadable ? error.message : 'reading it failed for an unknown reason';
    this.#firstReason ||= reason;
    const described = describeEvent(component);
    this.warnings.add(`${described.charAt(0).toUpperCase()}${described.slice(1)} was skipped: ${reason}.`);
  }
}
