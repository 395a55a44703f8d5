import type { JourneyAddress, JourneyCall } from './call.ts';
import { callForJson, createUnexpectedResponse } from './call-for-json.ts';
import { journeyPaths } from './paths.ts';
import { type JourneyObject, type JourneyObjectList, journeyObjectList } from './wire.ts';

export interface JourneyListOptions {
  readonly limit?: number;
  readonly skip?: number;
  readonly sort?: Readonly<Record<string, 'asc' | 'desc'>>;
  /**
   * Values by field, all of which must match. A field may end with `.ne`, `.lt`, `.lte`, `.gt`,
   * `.gte`, `.contains`, or `.null`. Built-in fields start with an underscore, such as
   * `_updated_at`.
   */
  readonly filter?: Readonly<Record<string, string | number | boolean>>;
  /** Whether to count all matching objects. */
  readonly total?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export async function listObjects(
  address: JourneyAddress,
  model: string,
  { limit, skip, sort = {}, filter = {}, total, signal }: JourneyListOptions = {},
): Promise<JourneyObjectList> {
  const query = {
    limit,
    skip,
    total,
    ...Object.fromEntries(Object.entries(sort).map(([field, direction]) => [`sort[${field}]`, direction])),
    ...Object.fromEntries(Object.entries(filter).map(([field, value]) => [`query[${field}]`, value])),
  };
  const call: JourneyCall = { method: 'GET', path: journeyPaths.objects(model), query, signal };
  return callForJson(address, call, journeyObjectList(model));
}

/** Lower than every possible id, including the nil UUID. */
const first = { expression: 'id >= ?', arguments: ['00000000-0000-0000-0000-000000000000'] };

export interface JourneyPageAfter {
  readonly objects: readonly JourneyObject[];
  /** How many others the page has that cannot be read: which ones is not known. */
  readonly unreadable: number;
  readonly hasMore: boolean;
}

/**
 * Lists a page of objects after an id. Unlike with `skip`, concurrent changes cannot cause
 * duplicates or gaps. This relies on the order of ids, so a response in another order is a
 * `JourneyProblem`.
 */
export async function listObjectsAfter(
  address: JourneyAddress,
  model: string,
  lastId: string | undefined,
  { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal | undefined },
): Promise<JourneyPageAfter> {
  const after = lastId === undefined ? first : { expression: 'id > ?', arguments: [lastId] };
  return queryById(address, model, { ...after, limit }, { previousId: lastId ?? '', signal });
}

/**
 * Lists those of these objects that exist, ordered by id. Journey may return fewer at once: with
 * `hasMore`, look up the ids behind the last one again.
 *
 * @param ids at most 1000
 */
export async function listObjectsByIds(
  address: JourneyAddress,
  model: string,
  ids: readonly string[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<JourneyPageAfter> {
  const body = { expression: 'id in ?', arguments: [ids], limit: ids.length };
  return queryById(address, model, body, { previousId: '', signal });
}

export interface JourneySearch {
  /** Such as `name = ? or age = ?`; each `?` stands for the next argument. */
  readonly expression: string;
  readonly arguments: readonly unknown[];
  /** At most 1000. */
  readonly limit: number;
}

/** Returns the first objects that match an expression, ordered by id. */
export async function searchObjects(
  address: JourneyAddress,
  model: string,
  search: JourneySearch,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<JourneyPageAfter> {
  return queryById(address, model, search, { previousId: '', signal });
}

/** Throws a `JourneyProblem` when the response is not ordered by id. */
async function queryById(
  address: JourneyAddress,
  model: string,
  query: JourneySearch,
  { previousId, signal }: { readonly previousId: string; readonly signal: AbortSignal | undefined },
): Promise<JourneyPageAfter> {
  const body = { ...query, skip: null, sort: ['id'] };
  const call: JourneyCall = { method: 'POST', path: journeyPaths.query(model), body, signal };
  const { objects, unreadable, more } = await callForJson(address, call, journeyObjectList(model));
  let previous = previousId;
  for (const { id } of objects) {
    if (id <= previous) throw createUnexpectedResponse(address, call, 'objects that are not ordered by id');
    previous = id;
  }
  // Without `more`, only an empty page is certainly the last one.
  return { objects, unreadable, hasMore: more !== false && objects.length > 0 };
}
