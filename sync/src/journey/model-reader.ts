import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import type { ModelCatalogue } from './model-catalogue.ts';
import { readModelCatalogue } from './read-model-catalogue.ts';

export interface ModelReader {
  /** The same object while its hash is the same. */
  read(signal: AbortSignal): Promise<ModelCatalogue>;
  /** As it was read last; undefined before that. */
  readonly last: ModelCatalogue | undefined;
}

interface ModelReaderOptions {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'dataModel'>;
  readonly pace: JourneyPace;
}

export function createModelReader({ client, pace }: ModelReaderOptions): ModelReader {
  let known: { readonly etag: string | undefined; readonly catalogue: ModelCatalogue } | undefined;
  return {
    async read(signal) {
      const ask = () => client.dataModel({ etag: known?.etag, signal });
      const answer = await pace.run(client.baseUrl, ask, { signal });
      if (answer === 'unchanged') {
        if (known) return known.catalogue;
        throw new Error('Journey calls a data model unchanged that was never read.');
      }
      const isSame = answer.model.datamodel_hash === known?.catalogue.hash;
      const catalogue = isSame && known ? known.catalogue : readModelCatalogue(answer.model);
      known = { etag: answer.etag, catalogue };
      return catalogue;
    },
    get last() {
      return known?.catalogue;
    },
  };
}
