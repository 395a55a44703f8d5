import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import { readJourneyCatalog } from './read-catalog.ts';

export interface CatalogReader {
  /** The same object while its hash is the same. */
  read(signal: AbortSignal): Promise<JourneyCatalog>;
  /** As it was read last; undefined before that. */
  readonly last: JourneyCatalog | undefined;
}

interface CatalogReaderOptions {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'dataModel'>;
  readonly pace: JourneyRateLimiter;
}

export function createCatalogReader({ client, pace }: CatalogReaderOptions): CatalogReader {
  let known: { readonly etag: string | undefined; readonly catalog: JourneyCatalog } | undefined;
  return {
    async read(signal) {
      const ask = () => client.dataModel({ etag: known?.etag, signal });
      const answer = await pace.run(client.baseUrl, ask, { signal });
      if (answer === 'unchanged') {
        if (known) return known.catalog;
        throw new Error('Journey calls a data model unchanged that was never read.');
      }
      const isSame = answer.model.datamodel_hash === known?.catalog.hash;
      const catalog = isSame && known ? known.catalog : readJourneyCatalog(answer.model);
      known = { etag: answer.etag, catalog };
      return catalog;
    },
    get last() {
      return known?.catalog;
    },
  };
}
