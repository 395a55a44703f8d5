/** Finds the keys of records for an operator, in every place where a record may be. */
import { maxFoundRecords } from '@portal/contract/sync/find';
import type { Pool } from '@portal/kit/postgres/pool';
import { Invalid } from '@portal/kit/problems';
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { findKeysByValue, findTablesWithRow, searchBriefly, toPattern } from '../helium/search-rows.ts';
import type { RecordSearch } from '../integration/operator-actions.ts';
import { type ObjectSearch, searchObjects } from '../journey/search-objects.ts';
import { DataModelChanged } from '../journey/stale-mapping.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { parseSearchedPart, parseSearchValue } from '../mapping/parse-search-value.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { findHeldByValue, findTablesWithState } from '../sync-state/find-record.store.ts';

/** Short, because an operator is waiting for the result. */
export const searchTimeoutMs = 5_000;

export interface FindParts {
  readonly pool: Pool;
  readonly stateId: number;
  readonly rateLimiter: JourneyRateLimiter;
}

export interface FindKeysParts extends FindParts {
  readonly client: JourneyClient;
}

interface KeySearch {
  /** What is synced. */
  readonly maps: readonly ObjectMap[];
  readonly search: RecordSearch;
  readonly signal: AbortSignal;
}

interface FoundKeys {
  /** If they are more than `maxFoundRecords`, there may be others. */
  readonly keys: readonly RecordKey[];
  readonly notSearched: string[];
}

/** Throws Invalid for a table or a column that is not synced, and for a value it cannot hold. */
export async function findKeys(
  parts: FindKeysParts,
  schema: string,
  { maps: all, search: { id, table, value, ...search }, signal }: KeySearch,
): Promise<FoundKeys> {
  const column = search.column ?? null;
  const maps = all.filter((map) => table === undefined || map.table === table);
  if (table !== undefined && maps.length === 0)
    throw new Invalid(`The table ${table} is not synced, so its rows are in Helium only.`);
  if (id !== undefined) return findById(parts, schema, { maps, id, isChosen: table !== undefined, signal });
  if (value === undefined || value === '') return { keys: [], notSearched: [] };
  if (column !== null && table === undefined) throw new Invalid('Choose the table of the column.');
  const [stored, inJourney] = await Promise.all([
    findStored(parts, schema, { maps, column, value }),
    findInModels(parts, { maps, by: { value, column } }, signal),
  ]);
  const byKey = new Map([...stored.keys, ...inJourney.keys].map((key) => [keyText(key), key]));
  return { keys: [...byKey.values()], notSearched: [...stored.notSearched, ...inJourney.notSearched] };
}

interface IdSearch extends Pick<KeySearch, 'maps' | 'signal'> {
  readonly id: string;
  /** Whether the user chose the table. */
  readonly isChosen: boolean;
}

async function findById(
  parts: FindKeysParts,
  schema: string,
  { maps, id, isChosen, signal }: IdSearch,
): Promise<FoundKeys> {
  const tables = maps.map(({ table }) => table);
  // Both sides of a chosen table are read in any case.
  if (isChosen) return { keys: tables.map((table) => ({ table, id })), notSearched: [] };
  const withId = new Set([
    ...(await findTablesWithRow(parts.pool, schema, tables, id)),
    ...(await findTablesWithState(parts.pool, parts.stateId, tables, id)),
  ]);
  if (withId.size === 0) return findInModels(parts, { maps, by: { id } }, signal);
  return { keys: tables.filter((table) => withId.has(table)).map((table) => ({ table, id })), notSearched: [] };
}

/** Searches Helium's rows and what is held; both are in one database. */
async function findStored(
  { pool, stateId }: FindParts,
  schema: string,
  { maps, column, value }: Pick<KeySearch, 'maps'> & { readonly column: string | null; readonly value: string },
): Promise<FoundKeys> {
  const limit = maxFoundRecords + 1;
  const seconds = searchTimeoutMs / 1000;
  const findRows = (isPart: boolean) =>
    searchBriefly(pool, searchTimeoutMs, (db) => findKeysByValue(db, schema, { maps, column, value, limit, isPart }));
  const rows = await findRows(false);
  // An index finds a whole value at once, but no part of one.
  const rowsWithPart = rows === null || rows.length >= limit ? [] : await findRows(true);
  const values = toStoredTexts(maps, column, value);
  const pattern = toStoredPattern(maps, value);
  const tables = maps.map(({ table }) => table);
  const held = await searchBriefly(pool, searchTimeoutMs, (db) =>
    findHeldByValue(db, stateId, { tables, column, values, pattern, limit }),
  );
  return {
    keys: [...(held ?? []), ...(rows ?? []), ...(rowsWithPart ?? [])],
    notSearched: [
      ...(rows === null
        ? [
            `The search of Helium’s rows was canceled after ${seconds} s. Choose a column with an index, or enter an id.`,
          ]
        : []),
      ...(rowsWithPart === null
        ? [
            `The search of Helium’s rows for texts that contain the value was canceled after ${seconds} s. Choose a table.`,
          ]
        : []),
      ...(held === null ? [`The search of held records was canceled after ${seconds} s. Choose a table.`] : []),
    ],
  };
}

/** Returns the forms in which held records may store the value. */
function toStoredTexts(maps: readonly ObjectMap[], column: string | null, value: string): string[] {
  const fields = maps.flatMap((map) => map.fields).filter((field) => column === null || field.column === column);
  const texts = new Set([value, ...fields.map((field) => String(parseSearchValue(field, value) ?? value))]);
  // PostgreSQL has no text with a NUL character.
  return [...texts].filter((text) => !text.includes('\0'));
}

function toStoredPattern(maps: readonly ObjectMap[], value: string): string | null {
  const [part] = maps.flatMap((map) => map.fields).flatMap((field) => parseSearchedPart(field, value) ?? []);
  return part === undefined ? null : toPattern(part);
}

/** A failure is part of the result. */
async function findInModels(
  { client, rateLimiter }: FindKeysParts,
  search: Pick<ObjectSearch, 'maps' | 'by'>,
  signal: AbortSignal,
): Promise<FoundKeys> {
  try {
    const limits = { limit: maxFoundRecords + 1, timeoutMs: searchTimeoutMs };
    const { keys, notSearched } = await searchObjects({ client, rateLimiter, signal }, { ...search, ...limits });
    return { keys, notSearched: notSearched === null ? [] : [notSearched] };
  } catch (error) {
    return { keys: [], notSearched: [`Journey’s objects were not searched: ${explainJourney(error)}`] };
  }
}

/** Rethrows errors that are bugs. */
export function explainJourney(error: unknown): string {
  if (error instanceof DataModelChanged)
    return "Journey's data model has changed. Search again when the integration has read it.";
  if (error instanceof JourneyProblem) return error.message;
  throw error;
}
