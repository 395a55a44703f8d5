import { readText, toDisplayText } from './event-text.ts';
import type { Property } from './read-line.ts';

/** How the events of a calendar name the people on support. */
export interface NamingRules {
  /**
   * 'attendee': the attendees of an event are on support. Otherwise its title names the person, and
   * its attendees count only if it has none.
   */
  readonly nameFrom?: 'title' | 'attendee' | undefined;
  /**
   * A regular expression for the titles of shifts. Other events are no shifts. Its first group, if
   * it has one, is the person's name in the title.
   */
  readonly namePattern?: string | undefined;
  /** The names of people by email address in lower case. */
  readonly namesByEmail?: ReadonlyMap<string, string> | undefined;
}

const maxTitleLength = 1_000;
const maxNameLength = 200;
/** What calendars write in place of titles that the reader may not see. */
const statuses = new Set(['busy', 'free', 'tentative', 'away', 'out of office', 'working elsewhere']);

/** Finds who the events of a calendar are about, and counts those that are about no one. */
export class PeopleOfEvents {
  readonly #rules: NamingRules;
  readonly #pattern: RegExp | undefined;
  readonly #names = new Set<string>();
  #otherEvents = 0;
  #eventsWithoutPerson = 0;

  constructor(rules: NamingRules) {
    this.#rules = rules;
    this.#pattern = rules.namePattern === undefined ? undefined : new RegExp(rules.namePattern, 'u');
  }

  /** Returns the names of the people that an event is about; none if it is no shift. */
  read(properties: readonly Property[]): readonly string[] {
    const summary = properties.find(({ name }) => name === 'SUMMARY')?.value ?? '';
    const title = readText(summary).slice(0, maxTitleLength);
    const match = this.#pattern?.exec(title);
    if (match === null) {
      this.#otherEvents += 1;
      return [];
    }
    const named = this.#rules.nameFrom === 'attendee' ? '' : toDisplayText(match?.[1] ?? title);
    const names =
      named === '' ? this.#readAttendees(properties) : [this.#rules.namesByEmail?.get(named.toLowerCase()) ?? named];
    if (names.length === 0) this.#eventsWithoutPerson += 1;
    for (const name of names) this.#names.add(name);
    return names.map((name) => name.slice(0, maxNameLength));
  }

  /** What the calendar writes in place of every title, such as "Busy"; otherwise undefined. */
  findHiddenTitle(): string | undefined {
    const [name = ''] = this.#names;
    return this.#names.size === 1 && statuses.has(name.toLowerCase()) ? name : undefined;
  }

  /** Warns of a calendar that names no one. */
  listWarnings(): string[] {
    const hidden = this.findHiddenTitle();
    if (hidden === undefined) return [];
    return [`All events are called “${hidden}”: the calendar is published without details, so it names no one.`];
  }

  /** Describes in sentences for people which events are left out on purpose. */
  listNotes(): string[] {
    return [
      ...(this.#otherEvents === 0
        ? []
        : [`${countEvents(this.#otherEvents)} not shown: the title is not that of a shift.`]),
      ...(this.#eventsWithoutPerson === 0
        ? []
        : [`${countEvents(this.#eventsWithoutPerson)} not shown: no one on support is named.`]),
    ];
  }

  #readAttendees(properties: readonly Property[]): string[] {
    const names = properties.filter(isOnSupport).map(({ value, parameters }) => {
      const address = value.trim().replace(/^mailto:/i, '');
      return (
        this.#rules.namesByEmail?.get(address.toLowerCase()) ?? (toDisplayText(parameters.get('CN') ?? '') || address)
      );
    });
    return [...new Set(names.filter((name) => name !== ''))];
  }
}

/** Whether a property is an attendee who takes part: no room, and no one who declined. */
function isOnSupport({ name, parameters }: Property): boolean {
  const get = (parameter: string) => parameters.get(parameter)?.trim().toUpperCase() ?? '';
  return (
    name === 'ATTENDEE' &&
    !['ROOM', 'RESOURCE'].includes(get('CUTYPE')) &&
    get('PARTSTAT') !== 'DECLINED' &&
    get('ROLE') !== 'NON-PARTICIPANT'
  );
}

function countEvents(count: number): string {
  return count === 1 ? 'One event is' : `${count} events are`;
}
