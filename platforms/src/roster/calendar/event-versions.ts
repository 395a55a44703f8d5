import type { FeedEvent } from './feed-event.ts';
import { toSeriesTime } from './series-time.ts';

/** The newest version of an event, and of each event that replaces one of its occurrences. */
export interface EventVersions {
  readonly events: readonly FeedEvent[];
  readonly overrides: readonly FeedEvent[];
}

/**
 * Chooses the newest versions among all events with the same UID. Events that differ in their start
 * and in nothing that shows which is newer are different events, because some programs use the same
 * UID for several.
 */
export function chooseVersions(group: readonly FeedEvent[]): EventVersions {
  const [only] = group;
  if (group.length === 1 && only)
    return only.replaces ? { events: [], overrides: group } : { events: group, overrides: [] };
  const events = chooseNewest(group.filter(({ replaces }) => !replaces));
  const canceled = events.find(({ isCanceled }) => isCanceled);
  const overrides = group.filter((event) => event.replaces && (!canceled || compareRevisions(event, canceled) > 0));
  return { events, overrides: chooseNewestOverrides(overrides, events[0]) };
}

/** Positive if the first event is newer. */
function compareRevisions(one: FeedEvent, other: FeedEvent): number {
  const sequences = [one, other].map((event) => Number.parseInt(getFirst(event, 'SEQUENCE'), 10) || 0);
  const [sequence = 0, otherSequence = 0] = sequences;
  if (sequence !== otherSequence) return sequence - otherSequence;
  for (const name of ['LAST-MODIFIED', 'DTSTAMP']) {
    const [stamp, otherStamp] = [getFirst(one, name), getFirst(other, name)];
    if (stamp !== '' && otherStamp !== '' && stamp !== otherStamp) return stamp > otherStamp ? 1 : -1;
  }
  return 0;
}

/** Times of changes are in UTC, so they compare as text. */
function getFirst({ component }: FeedEvent, name: string): string {
  return component.properties.find((property) => property.name === name)?.value.trim() ?? '';
}

function chooseNewest(events: readonly FeedEvent[]): FeedEvent[] {
  const newest = events.reduce<FeedEvent | undefined>(
    (best, event) => (!best || compareRevisions(event, best) > 0 ? event : best),
    undefined,
  );
  if (!newest) return [];
  // Of equal ones with the same start, the last counts.
  const byStart = new Map<number, FeedEvent>();
  for (const event of events) if (compareRevisions(event, newest) === 0) byStart.set(event.start.localMs, event);
  return [...byStart.values()];
}

function chooseNewestOverrides(overrides: readonly FeedEvent[], event: FeedEvent | undefined): FeedEvent[] {
  const byTime = new Map<string, FeedEvent>();
  for (const override of overrides) {
    if (!override.replaces) continue;
    const { time, appliesToLater } = override.replaces;
    const at = event ? toSeriesTime(time, event.start) : time.clock.toInstant(time.localMs);
    const key = `${at} ${appliesToLater}`;
    const other = byTime.get(key);
    if (!other || compareRevisions(override, other) >= 0) byTime.set(key, override);
  }
  return [...byTime.values()];
}
