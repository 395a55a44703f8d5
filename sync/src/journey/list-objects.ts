import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyObject, journeyPageMax } from '@portal/platforms/journey/wire';
import { parseUuid } from '../mapping/values.ts';
import { isTooLarge } from './op-log-reader.ts';

interface ListContext {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'listAfter' | 'listByIds'>;
  readonly rateLimiter: JourneyRateLimiter;
  readonly signal: AbortSignal;
}

/**
 * Lists objects by id, starting after `afterId`, without those whose ids are no UUIDs. Returns
 * fewer than `limit` only when there are no more, however small Journey's pages are.
 */
export async function listObjects(
  { client, rateLimiter, signal }: ListContext,
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

/** Returns those of these objects that exist, with as few calls as the size of responses allows. */
export async function listObjectsByIds(
  { client, rateLimiter, signal }: ListContext,
  model: string,
  ids: readonly string[],
): Promise<JourneyObject[]> {
  const objects: JourneyObject[] = [];
  let remaining = [...ids].sort();
  let maxPageSize = journeyPageMax;
  while (remaining.length > 0) {
    const page = remaining.slice(0, maxPageSize);
    try {
      const found = await rateLimiter.run(client.baseUrl, () => client.listByIds(model, page, { signal }), { signal });
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
