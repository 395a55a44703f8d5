/**
 * Converts Journey's objects to entries. Files are represented by their content hash and name where
 * these are known.
 */
import type { JourneyObject } from '@portal/platforms/journey/wire';
import { fieldsFromJourney, type ObjectValues } from '../mapping/from-journey.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { createFields, type Value } from '../record/fields.ts';
import { getFileHash } from '../record/file-value.ts';
import type { SeenFile } from '../record/waiting-file.ts';
import type { JourneyEntry } from './journey-gateway.ts';
import type { KnownAttachments } from './known-attachments.ts';

export interface ObjectToRead {
  readonly map: ObjectMap;
  readonly object: JourneyObject;
  readonly operation: JourneyEntry['operation'];
  readonly sequence: string;
  /** Why the entry cannot be applied, in a sentence. */
  readonly problem?: string;
}

export async function toJourneyEntries(
  objects: readonly ObjectToRead[],
  knownAttachments: KnownAttachments,
): Promise<JourneyEntry[]> {
  const contents = objects.map(({ map, object, operation, problem }) =>
    operation === 'delete' || problem !== undefined ? null : fieldsFromJourney(map, object),
  );
  const ids = new Set<string>();
  for (const content of contents) for (const { id } of content?.attachments ?? []) ids.add(id);
  const known = ids.size === 0 ? new Map<string, string>() : await knownAttachments.get([...ids]);
  return objects.map(({ map, object, operation, sequence, problem: unreadable }, index) => {
    const content = contents[index] ?? null;
    const key = { table: map.table, id: object.id.toLowerCase() };
    const changedAtMs = getChangedAtMs(object);
    if (unreadable !== undefined)
      return { sequence, key, operation, changedAtMs, fields: createFields(), problem: unreadable };
    if (content === null) return { sequence, key, operation, changedAtMs, fields: null };
    const { attachments, problem, fields } = content;
    if (attachments.length === 0 && problem === null) return { sequence, key, operation, changedAtMs, fields, object };
    return { sequence, key, operation, changedAtMs, object, ...resolveFiles(map, content, known) };
  });
}

type ResolvedContent = Pick<JourneyEntry, 'fields' | 'attachments' | 'problem'>;

function resolveFiles(
  map: ObjectMap,
  { fields, attachments, problem }: ObjectValues,
  known: ReadonlyMap<string, string>,
): ResolvedContent {
  if (attachments.length === 0) return problem === null ? { fields } : { fields, problem };
  const values: Record<string, Value> = { ...fields };
  const files = createFields<SeenFile>();
  for (const { column, ...file } of attachments) {
    const value = known.get(file.id);
    if (value !== undefined) values[column] = isNamed(map, column) ? value : getFileHash(value);
    files[column] = file;
  }
  return { fields: values, attachments: files, ...(problem !== null && { problem }) };
}

function isNamed({ fields }: ObjectMap, column: string): boolean {
  return fields.some((field) => field.column === column && field.isNamed);
}

/**
 * Returns the object's `updated_at`. Journey sends it for every object; one without it counts as
 * oldest and loses conflicts.
 */
export function getChangedAtMs({ updated_at }: JourneyObject): number {
  const atMs = Date.parse(updated_at ?? '');
  return Number.isNaN(atMs) ? 0 : Math.floor(atMs / 1000) * 1000;
}
