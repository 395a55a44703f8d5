/** Separates the entries of an op-log page that are no change of a record from the others. */
import { createHash } from 'node:crypto';
import type { JourneyOpLogEntry } from '@portal/platforms/journey/wire';
import type { ObjectMap } from '../mapping/object-map.ts';
import { parseUuid } from '../mapping/values.ts';
import type { UnreadableEntry } from './journey-gateway.ts';
import type { ObjectToRead } from './read-entries.ts';

/** In place of a table, for entries that name no object. Helium's tables have no hyphen. */
export const opLogTable = 'op-log';

interface SortedEntries {
  readonly objects: readonly ObjectToRead[];
  readonly unreadable: readonly UnreadableEntry[];
}

/** Skips the entries of models that are not mapped. */
export function sortEntries(
  entries: readonly JourneyOpLogEntry[],
  maps: ReadonlyMap<string, ObjectMap>,
): SortedEntries {
  const objects: ObjectToRead[] = [];
  const unreadable: UnreadableEntry[] = [];
  for (const { sequence, operation, object, problem } of entries) {
    const map = maps.get(object.type);
    if (!map && object.type !== '') continue;
    const isUntyped = problem === undefined && !map;
    // Its object is none that is synced, or it would be known.
    if (isUntyped && operation === 'delete') continue;
    const reason = isUntyped
      ? toReason(sequence, 'its object has no type')
      : problem === undefined
        ? undefined
        : toReason(sequence, problem);
    if (map && parseUuid(object.id) !== undefined)
      objects.push({ map, object, operation, sequence, ...(reason !== undefined && { problem: reason }) });
    else
      unreadable.push({
        key: { table: map?.table ?? opLogTable, id: map && object.id !== '' ? hashId(object) : toUuid(sequence) },
        reason: reason ?? toReason(sequence, `the id ${JSON.stringify(object.id)} is not a UUID`),
        isDeletion: map !== undefined && operation === 'delete',
      });
  }
  return { objects, unreadable };
}

function toReason(sequence: string, problem: string): string {
  return `Entry ${sequence} of Journey's op-log cannot be read: ${problem}.`;
}

/** The same for all entries of an object. */
function hashId({ type, id }: JourneyOpLogEntry['object']): string {
  return formatUuid(createHash('sha256').update(`${type}/${id}`).digest('hex').slice(0, 32));
}

/** Shows the number in the last digits. */
function toUuid(sequence: string): string {
  return formatUuid(sequence.padStart(32, '0'));
}

function formatUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
