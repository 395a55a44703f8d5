import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyObject, journeyPageMax } from '@portal/platforms/journey/wire';
import { isTooLarge } from './op-log-reader.ts';

interface Listing {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'listAfter'>;
  readonly pace: JourneyRateLimiter;
  readonly signal: AbortSignal;
}

/**
 * By id, those behind `afterId`; fewer than `limit` only when there are no more, however small
 * Journey cuts its pages.
 */
export async function listObjects(
  { client, pace, signal }: Listing,
  model: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<JourneyObject[]> {
  const objects: JourneyObject[] = [];
  let fitting = journeyPageMax;
  while (objects.length < limit) {
    const lastId = objects.at(-1)?.id ?? afterId ?? undefined;
    const asked = Math.min(limit - objects.length, fitting);
    try {
      const page = await pace.run(client.baseUrl, () => client.listAfter(model, lastId, asked, { signal }), { signal });
      objects.push(...page.objects);
      if (!page.hasMore) break;
    } catch (error) {
      if (!isTooLarge(error) || asked <= 1) throw error;
      fitting = Math.ceil(asked / 2);
    }
  }
  return objects;
}
