import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import { readJourneyCatalog } from './read-catalog.ts';

export interface CatalogReader {
  /** Reads the data model. Returns the same object while its hash is unchanged. */
  read(signal: AbortSignal): Promise<JourneyCatalog>;
  /** The model that was last read; undefined before the first read. */
  readonly last: JourneyCatalog | undefined;
}

interface CatalogReaderOptions {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'dataModel'>;
  readonly rateLimiter: JourneyRateLimiter;
}

export function createCatalogReader({ client, rateLimiter }: CatalogReaderOptions): CatalogReader {
  let cached: { readonly etag: string | undefined; readonly catalog: JourneyCatalog } | undefined;
  return {
    async read(signal) {
      const fetchModel = () => client.dataModel({ etag: cached?.etag, signal });
      const response = await rateLimiter.run(client.baseUrl, fetchModel, { signal });
      if (response === 'unchanged') {
        if (cached) return cached.catalog;
        throw new Error('Journey reported an unchanged data model that was never read.');
      }
      const isSame = response.model.datamodel_hash === cached?.catalog.hash;
      const catalog = isSame && cached ? cached.catalog : readJourneyCatalog(response.model);
      cached = { etag: response.etag, catalog };
      return catalog;
    },
    get last() {
      return cached?.catalog;
    },
  };
}
