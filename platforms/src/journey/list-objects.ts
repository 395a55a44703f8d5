import type { JourneyAddress, JourneyCall } from './call.ts';
import { callForJson, createUnexpectedResponse } from './call-for-json.ts';
import { journeyPaths } from './paths.ts';
import { type JourneyObject, JourneyObjectList } from './wire.ts';

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
  return callForJson(address, { method: 'GET', path: journeyPaths.objects(model), query, signal }, JourneyObjectList);
}

/** Lower than every possible id, including the nil UUID. */
const first = { expression: 'id >= ?', arguments: ['00000000-0000-0000-0000-000000000000'] };

export interface JourneyPageAfter {
  readonly objects: readonly JourneyObject[];
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
  const body = { ...after, limit, skip: null, sort: ['id'] };
  const call: JourneyCall = { method: 'POST', path: journeyPaths.query(model), body, signal };
  const { objects, more } = await callForJson(address, call, JourneyObjectList);
  let previous = lastId ?? '';
  for (const { id } of objects) {
    if (id <= previous) throw createUnexpectedResponse(address, call, 'objects that are not ordered by id');
    previous = id;
  }
  return { objects, hasMore: more && objects.length > 0 };
}
