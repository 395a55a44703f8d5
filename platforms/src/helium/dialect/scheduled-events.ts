import type { HeliumEventState, HeliumScheduledEvent } from '../wire.ts';
import type { ScheduledEventsDialect, Spelling } from './dialect.config.ts';
import {
  type ListReading,
  readFields,
  readList,
  readOptionalText,
  requireText,
  showValue,
  UnreadableResponse,
  writeFields,
} from './fields.ts';
import type { JsonObject } from './json-path.ts';

/**
 * Reads the scheduled functions of an app. A function may lack its schedule, which is then empty.
 */
export function readScheduledEvents(
  dialect: ScheduledEventsDialect,
  document: unknown,
): ListReading<HeliumScheduledEvent> {
  return readList(document, dialect.list, (entry) => readEvent(dialect, entry));
}

function readEvent(dialect: ScheduledEventsDialect, entry: JsonObject): HeliumScheduledEvent {
  const { fields } = dialect;
  const { schedule, unit, event, state } = readFields(fields, entry);
  return {
    schedule: readOptionalText(schedule, fields.schedule) ?? '',
    ...(fields.unit === fields.event
      ? splitName(requireText(unit, fields.unit), fields.unit)
      : { unit: requireText(unit, fields.unit), event: requireText(event, fields.event) }),
    state: readState(dialect, state),
  };
}

/** Returns the platform's object for a scheduled function. */
export function writeEvent(
  { fields, states }: Pick<ScheduledEventsDialect, 'fields' | 'states'>,
  event: HeliumScheduledEvent,
): JsonObject {
  const state = toSpelling(states, event.state);
  return writeFields(fields, { schedule: event.schedule, ...toNames(fields, event), state });
}

/**
 * Returns the body that sets the state of a function.
 *
 * @param current with `style: whole`, the response with all functions; undefined otherwise. Returns
 *   undefined if it does not have this function.
 */
export function writeState(
  dialect: ScheduledEventsDialect,
  event: Pick<HeliumScheduledEvent, 'unit' | 'event' | 'state'>,
  current?: unknown,
): JsonObject | undefined {
  const { write, fields, states, list } = dialect;
  const state = toSpelling(states, event.state);
  if (write.style === 'merge') return writeFields(write.fields, { ...toNames(write.fields, event), state });
  const { entries } = readList(current, list, (entry) => ({ entry, read: readEvent(dialect, entry) }));
  const found = entries.find(({ read }) => read.unit === event.unit && read.event === event.event);
  return found && writeFields(fields, { state }, found.entry);
}

/** Splits `Unit:event`. */
export function splitName(name: string, field = 'scheduledEvent'): Pick<HeliumScheduledEvent, 'unit' | 'event'> {
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1)
    throw new UnreadableResponse(`${field}: ${showValue(name)} is not written Unit:event`);
  return { unit: name.slice(0, colon), event: name.slice(colon + 1) };
}

function toNames(
  names: { readonly unit: string; readonly event: string },
  { unit, event }: Pick<HeliumScheduledEvent, 'unit' | 'event'>,
) {
  const name = `${unit}:${event}`;
  return names.unit === names.event ? { unit: name, event: name } : { unit, event };
}

function readState({ states, fields }: ScheduledEventsDialect, value: unknown): HeliumEventState {
  if (value === states.enabled) return 'Enabled';
  if (value === states.disabled) return 'Disabled';
  const known = `${showValue(states.enabled)} nor ${showValue(states.disabled)}`;
  throw new UnreadableResponse(`${fields.state}: ${showValue(value)} is neither ${known}`);
}

function toSpelling(states: ScheduledEventsDialect['states'], state: HeliumEventState): Spelling {
  return state === 'Enabled' ? states.enabled : states.disabled;
}
