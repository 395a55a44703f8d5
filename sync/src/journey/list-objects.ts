import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyObject, journeyPageMax } from '@portal/platforms/journey/wire';
import { parseUuid } from '../mapping/values.ts';
import { isTooLarge } from './op-log-reader.ts';

interface ListContext {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'listAfter' | 'listByIds' | 'get'>;
  readonly rateLimiter: JourneyRateLimiter;
  /** Called for a page with objects that cannot be read. */
  readonly onUnreadable: (model: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Lists objects by id, starting after `afterId`, without those whose ids are no UUIDs and those
 * that cannot be read. Returns fewer than `limit` only when there are no more, however small
 * Journey's pages are.
 */
export async function listObjects(
  { client, rateLimiter, onUnreadable, signal }: ListContext,
  model: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<JourneyObject[]> {
  const objects: JourneyObject[] = [];
  let maxPageSize = journeyPageMax;
  let lastId = afterId ?? undefined;
  while (objects.length < limit) {
    const pageLimit = Math.min(limit - objects.length, maxPageSize);
    try {
      const start = lastId;
      const page = await rateLimiter.run(client.baseUrl, () => client.listAfter(model, start, pageLimit, { signal }), {
        signal,
      });
      if (page.unreadable > 0) onUnreadable(model);
      objects.push(...page.objects.filter(({ id }) => parseUuid(id) !== undefined));
      lastId = page.objects.at(-1)?.id ?? lastId;
      if (!page.hasMore) break;
    } catch (error) {
      if (!isTooLarge(error) || pageLimit <= 1) throw error;
      maxPageSize = Math.ceil(pageLimit / 2);
    }
  }
  return objects;
}

/**
 * Returns those of these objects that exist, with as few calls as the size of responses allows.
 * While a response has an object that cannot be read, fewer are requested, and at last that one
 * alone: it exists, so it must not count as deleted.
 */
export async function listObjectsByIds(
  context: ListContext,
  model: string,
  ids: readonly string[],
): Promise<JourneyObject[]> {
  const { client, rateLimiter, signal } = context;
  const objects: JourneyObject[] = [];
  let remaining = [...ids].sort();
  let maxPageSize = journeyPageMax;
  while (remaining.length > 0) {
    const page = remaining.slice(0, maxPageSize);
    try {
      const found = await rateLimiter.run(client.baseUrl, () => client.listByIds(model, page, { signal }), { signal });
      if (found.unreadable > 0) {
        objects.push(...(await readApart(context, model, page)));
        remaining = remaining.slice(page.length);
        continue;
      }
      objects.push(...found.objects);
      const lastId = found.objects.at(-1)?.id;
      remaining =
        found.hasMore && lastId !== undefined ? remaining.filter((id) => id > lastId) : remaining.slice(page.length);
    } catch (error) {
      if (!isTooLarge(error) || page.length <= 1) throw error;
      maxPageSize = Math.ceil(page.length / 2);
    }
  }
  return objects;
}

/** Reads these objects in two smaller lists, or one at a time. */
async function readApart(context: ListContext, model: string, ids: readonly string[]): Promise<JourneyObject[]> {
  const [first, ...others] = ids;
  if (first === undefined) return [];
  if (others.length > 0) {
    const half = Math.ceil(ids.length / 2);
    const found = await listObjectsByIds(context, model, ids.slice(0, half));
    return [...found, ...(await listObjectsByIds(context, model, ids.slice(half)))];
  }
  const { client, rateLimiter, onUnreadable, signal } = context;
  onUnreadable(model);
  try {
    return [await rateLimiter.run(client.baseUrl, () => client.get(model, first, { signal }), { signal })];
  } catch (error) {
    if (error instanceof JourneyProblem && error.failure.kind === 'not-found') return [];
    throw error;
  }
}
