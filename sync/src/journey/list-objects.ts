import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyObject, journeyPageMax } from '@portal/platforms/journey/wire';
import { isTooLarge } from './op-log-reader.ts';

interface ListContext {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'listAfter'>;
  readonly rateLimiter: JourneyRateLimiter;
  readonly signal: AbortSignal;
}

/**
 * Lists objects by id, starting after `afterId`. Returns fewer than `limit` only when there are no
 * more, however small Journey's pages are.
 */
export async function listObjects(
  { client, rateLimiter, signal }: ListContext,
  model: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<JourneyObject[]> {
  const objects: JourneyObject[] = [];
  let maxPageSize = journeyPageMax;
  while (objects.length < limit) {
    const lastId = objects.at(-1)?.id ?? afterId ?? undefined;
    const pageLimit = Math.min(limit - objects.length, maxPageSize);
    try {
      const page = await rateLimiter.run(client.baseUrl, () => client.listAfter(model, lastId, pageLimit, { signal }), {
        signal,
      });
      objects.push(...page.objects);
      if (!page.hasMore) break;
    } catch (error) {
      if (!isTooLarge(error) || pageLimit <= 1) throw error;
      maxPageSize = Math.ceil(pageLimit / 2);
    }
  }
  return objects;
}
