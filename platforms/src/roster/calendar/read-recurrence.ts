import { toLength } from './event-length.ts';
import { type FeedTime, type Length, parseDuration } from './feed-time.ts';
import type { Property } from './read-line.ts';
import { parseRule, type RecurrenceRule } from './rules/recurrence-rule.ts';
import { toSeriesTime } from './series-time.ts';
import type { FeedClocks } from './zones/feed-clocks.ts';

/** An occurrence in addition to the rules, by the event's clock; a period has its own length. */
interface AddedOccurrence {
  readonly localMs: number;
  readonly length: Length | undefined;
}

/** When an event takes place besides its start. */
export interface Recurrence {
  readonly rules: readonly RecurrenceRule[];
  /** Rules of occurrences that do not take place (RFC 2445). */
  readonly exceptionRules: readonly RecurrenceRule[];
  readonly added: readonly AddedOccurrence[];
  /** Occurrences that do not take place, by the event's clock. */
  readonly excluded: readonly number[];
}

/** Throws Unreadable. */
export function readRecurrence(properties: readonly Property[], start: FeedTime, clocks: FeedClocks): Recurrence {
  const list = (name: string) => properties.filter((property) => property.name === name);
  return {
    rules: list('RRULE').map(({ value }) => parseRule(value)),
    exceptionRules: list('EXRULE').map(({ value }) => parseRule(value)),
    added: list('RDATE').flatMap((property) => readAdded(property, start, clocks)),
    excluded: list('EXDATE').flatMap((property) =>
      listTexts(property).map((text) => toSeriesTime(clocks.readTime(property, text), start)),
    ),
  };
}

/** Lists the values of a property; some programs leave empty ones. */
function listTexts({ value }: Property): string[] {
  return value.split(',').filter((text) => text.trim() !== '');
}

function readAdded(property: Property, start: FeedTime, clocks: FeedClocks): AddedOccurrence[] {
  return listTexts(property).map((text) => {
    const [from = '', to] = text.split('/');
    const time = clocks.readTime(property, from);
    const length = to === undefined ? undefined : readPeriod(property, time, to, clocks);
    return { localMs: toSeriesTime(time, start), length };
  });
}

function readPeriod(property: Property, from: FeedTime, to: string, clocks: FeedClocks): Length {
  return parseDuration(to) ?? toLength(from, clocks.readTime(property, to));
}
