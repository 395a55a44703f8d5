/** Searches Journey's objects for operators. */
import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import type { ObjectMap } from '../mapping/object-map.ts';
import { parseSearchedPart, parseSearchValue } from '../mapping/parse-search-value.ts';
import { parseUuid } from '../mapping/values.ts';
import type { RecordKey } from '../record/record-key.ts';

/** How many models a search covers at most, because each takes a call. */
const maxSearchedModels = 20;

export interface ObjectSearch {
  readonly maps: readonly ObjectMap[];
  /** Either an id, or a value with the column, which is null for all columns. */
  readonly by: { readonly id: string } | { readonly value: string; readonly column: string | null };
  /** Max objects per model. */
  readonly limit: number;
  /** No call starts after this time. */
  readonly timeoutMs: number;
}

interface SearchContext {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'search'>;
  readonly rateLimiter: JourneyRateLimiter;
  readonly signal: AbortSignal;
}

interface ObjectsFound {
  readonly keys: RecordKey[];
  /** Why not every model was searched; null if each was. */
  notSearched: string | null;
}

/**
 * Searches one model after the other, so that the sync loses little of the deployment's rate.
 * Throws a `JourneyProblem` when Journey does not answer.
 */
export async function searchObjects(
  { client, rateLimiter, signal }: SearchContext,
  { maps, by, limit, timeoutMs }: ObjectSearch,
): Promise<ObjectsFound> {
  const queries = maps.flatMap((map) => {
    const condition = 'id' in by ? { expression: 'id = ?', arguments: [by.id] } : toCondition(map, by);
    return condition.expression === '' ? [] : [{ map, ...condition }];
  });
  const found: ObjectsFound = { keys: [], notSearched: null };
  const deadline = Date.now() + timeoutMs;
  for (const [index, { map, ...condition }] of queries.entries()) {
    if (index >= maxSearchedModels || Date.now() > deadline) {
      found.notSearched = `Journey was searched in ${index} of ${queries.length} models. Choose a table to search another.`;
      break;
    }
    const search = () => client.search(map.model, { ...condition, limit }, { signal });
    const { objects } = await rateLimiter.run(client.baseUrl, search, { signal });
    for (const object of objects) {
      const id = parseUuid(object.id);
      if (id !== undefined) found.keys.push({ table: map.table, id });
    }
  }
  return found;
}

/** Returns an empty expression when no field of the model can hold the value. */
function toCondition(
  { fields }: ObjectMap,
  { value, column }: { readonly value: string; readonly column: string | null },
): { readonly expression: string; readonly arguments: readonly unknown[] } {
  const terms: string[] = [];
  const values: unknown[] = [];
  for (const field of fields) {
    if (column === null ? field.kind === 'boolean' : field.column !== column) continue;
    const parsed = parseSearchValue(field, value);
    if (parsed !== undefined) {
      terms.push(`${field.kind === 'reference' ? `${field.field}_id` : field.field} = ?`);
      values.push(parsed);
    }
    const part = field.source?.fieldType === 'text' ? parseSearchedPart(field, value) : undefined;
    if (part !== undefined) {
      terms.push(`${field.field} contains ?`);
      values.push(part);
    }
  }
  return { expression: terms.join(' or '), arguments: values };
}
