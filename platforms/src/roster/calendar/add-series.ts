import { getEnd } from './event-length.ts';
import type { FeedEvent } from './feed-event.ts';
import type { OccurrenceList } from './occurrence-list.ts';
import { listStarts } from './recurrence.ts';
import { dayMs } from './rules/calendar-day.ts';
import type { StepBudget } from './rules/step-budget.ts';
import { toSeriesTime } from './series-time.ts';

/**
 * Replaces the occurrence that would start at `at`, by the event's clock, and all later ones if it
 * is lasting.
 */
interface OccurrenceChange {
  readonly at: number;
  readonly event: FeedEvent;
  readonly laterMs: number;
  readonly isLasting: boolean;
}

/** Adds the occurrences of an event, except those that others replace. Throws Unreadable. */
export function addSeries(
  event: FeedEvent,
  overrides: readonly FeedEvent[],
  occurrences: OccurrenceList,
  budget: StepBudget,
): void {
  const { start, recurrence } = event;
  if (event.isCanceled) return;
  if (overrides.length === 0 && !recurrence) {
    occurrences.add(event, start.localMs);
    return;
  }
  const changes = overrides.flatMap((override) => toChange(override, event));
  const replaced = new Set(changes.map(({ at }) => at));
  const lasting = changes.filter(({ isLasting }) => isLasting).sort((one, other) => other.at - one.at);
  const ownLengths = new Map(recurrence?.added.map(({ localMs, length }) => [localMs, length]));
  const starts = recurrence
    ? listStarts(start, recurrence, widen(event, lasting, occurrences), budget)
    : [start.localMs];
  for (const localMs of starts) {
    if (replaced.has(localMs)) continue;
    const change = lasting.length > 0 ? lasting.find(({ at }) => at < localMs) : undefined;
    if (change) occurrences.add(change.event, localMs + change.laterMs);
    else occurrences.add(event, localMs, ownLengths.get(localMs));
  }
}

function toChange(event: FeedEvent, { start }: FeedEvent): OccurrenceChange[] {
  if (!event.replaces) return [];
  const { time, appliesToLater } = event.replaces;
  const laterMs = event.start.localMs - toSeriesTime(time, event.start);
  return [{ at: toSeriesTime(time, start), event, laterMs, isLasting: appliesToLater }];
}

/**
 * Returns where to look for starts: an occurrence that starts before the range may end within it,
 * and a lasting change may move it there. The extra day covers clock changes.
 */
function widen(event: FeedEvent, lasting: readonly OccurrenceChange[], { range }: OccurrenceList) {
  const getLength = ({ length, start }: FeedEvent) =>
    Math.max(0, getEnd(length, start.clock, start.localMs) - start.clock.toInstant(start.localMs));
  const ends = lasting.map((change) => change.laterMs + getLength(change.event));
  const earlier = lasting.map(({ laterMs }) => -laterMs);
  return {
    from: range.from - Math.max(getLength(event), ...ends) - dayMs,
    to: range.to + Math.max(0, ...earlier),
  };
}
