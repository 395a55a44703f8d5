import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import { JOURNEY_PAGE_MAX } from '@portal/platforms/journey/wire';
import { fileNameOf } from './file-name.ts';
import type { JourneyEnd } from './journey-end.ts';
import { blobValueOf, type KnownAttachments } from './known-attachments.ts';
import { listObjects } from './list-objects.ts';
import type { ModelCatalogue } from './model-catalogue.ts';
import { createOpLogReader } from './op-log-reader.ts';
import { readEntries } from './read-entries.ts';
import { readModelCatalogue } from './read-model-catalogue.ts';
import { sendWrites } from './send-writes.ts';

export interface JourneyEndOptions {
  readonly client: JourneyClient;
  /** One for all ends of a process: hosts and deployments share it. */
  readonly pace: JourneyPace;
  readonly knownAttachments: KnownAttachments;
}

/** Every call goes at the pace's leave, so any may throw `held-back` too. Nothing is tried twice here but what is said. */
export function openJourneyEnd({ client, pace, knownAttachments }: JourneyEndOptions): JourneyEnd {
  const { baseUrl } = client;
  const opLog = createOpLogReader({ client, pace });
  let models: { readonly etag: string | undefined; readonly catalogue: ModelCatalogue } | undefined;
  const paced = <T>(signal: AbortSignal, call: () => Promise<T>) => pace.run(baseUrl, call, { signal });

  return {
    baseUrl,
    async readModels(signal) {
      const answer = await paced(signal, () => client.dataModel({ etag: models?.etag, signal }));
      if (answer === 'unchanged') {
        if (models) return models.catalogue;
        throw new Error('Journey calls a data model unchanged that was never read.');
      }
      const isSame = answer.model.datamodel_hash === models?.catalogue.hash;
      const catalogue = isSame && models ? models.catalogue : readModelCatalogue(answer.model);
      models = { etag: answer.etag, catalogue };
      return catalogue;
    },
    async readOpLog({ mapping, cursor, limit, signal }) {
      const { entries, ...page } = await opLog.readAfter(cursor, Math.min(limit, JOURNEY_PAGE_MAX), signal);
      const maps = new Map(mapping.objects.map((map) => [map.model, map]));
      const objects = entries.flatMap(({ sequence, operation, object }) => {
        const map = maps.get(object.type);
        return map ? [{ map, object, operation, sequence }] : [];
      });
      return { ...page, entries: await readEntries(objects, knownAttachments) };
    },
    readHead: (signal) => opLog.readHead(signal),
    async listAfter(map, afterId, limit, signal) {
      const objects = await listObjects({ client, pace, signal }, map.model, { afterId, limit });
      const seen = objects.map((object) => ({ map, object, operation: 'update', sequence: '0' }) as const);
      return readEntries(seen, knownAttachments);
    },
    send: (mapping, writes, signal) => sendWrites(mapping, writes, { client, pace, signal }),
    async fetchAttachment(attachment, signal) {
      const file = await paced(signal, () => client.attachment(attachment.url, { signal }));
      const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
      await knownAttachments.remember(attachment.id, blobValueOf(bytes));
      return { bytes, fileName: fileNameOf(attachment, file.mediaType), mediaType: file.mediaType };
    },
    count: (model, signal) => paced(signal, () => client.count(model, { signal })),
    // Connections are shared by all ends, and a call in progress ends with its signal.
    close: async () => undefined,
  };
}
