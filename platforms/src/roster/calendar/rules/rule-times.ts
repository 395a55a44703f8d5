import type { RecurrenceRule } from './recurrence-rule.ts';

export const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/**
 * Lists the times at which a rule starts within each of its days, or within each hour, minute or
 * second if it repeats more often, in milliseconds and in order.
 *
 * @param timeOfDay the event's own, for what the rule does not state
 */
export function listTimes(rule: RecurrenceRule, timeOfDay: number): number[] {
  const { frequency } = rule;
  if (frequency === 'SECONDLY') return [0];
  // There are no leap seconds in local times.
  const seconds = toOffsets(rule.seconds, secondMs, 60, timeOfDay).filter((offset) => offset < minuteMs);
  if (frequency === 'MINUTELY') return seconds;
  const minutes = addEach(toOffsets(rule.minutes, minuteMs, 60, timeOfDay), seconds);
  return frequency === 'HOURLY' ? minutes : addEach(toOffsets(rule.hours, hourMs, 24, timeOfDay), minutes);
}

function toOffsets(chosen: readonly number[], unitMs: number, units: number, timeOfDay: number): number[] {
  if (chosen.length === 0) return [(Math.floor(timeOfDay / unitMs) % units) * unitMs];
  return chosen.map((number) => number * unitMs);
}

function addEach(ones: readonly number[], others: readonly number[]): number[] {
  return ones.flatMap((one) => others.map((other) => one + other));
}
