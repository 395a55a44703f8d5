import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { journeyPageMax } from '@portal/platforms/journey/wire';
import { createCatalogReader } from './catalog-reader.ts';
import { fileNameOf } from './file-name.ts';
import type { JourneyEnd } from './journey-end.ts';
import { blobValueOf, type KnownAttachments } from './known-attachments.ts';
import { listObjects } from './list-objects.ts';
import { createOpLogReader } from './op-log-reader.ts';
import { type ObjectToRead, toJourneyEntries } from './read-entries.ts';
import { sendWrites } from './send-writes.ts';
import { DataModelChanged, isStillThere, lacksFields } from './stale-mapping.ts';

export interface JourneyEndOptions {
  readonly client: JourneyClient;
  /** One for all ends of a process: hosts and deployments share it. */
  readonly pace: JourneyRateLimiter;
  readonly knownAttachments: KnownAttachments;
}

/** Every call goes at the pace's leave, so any may throw `throttled` too. */
export function openJourneyEnd({ client, pace, knownAttachments }: JourneyEndOptions): JourneyEnd {
  const opLog = createOpLogReader({ client, pace });
  const models = createCatalogReader({ client, pace });
  let withheldFor = '';

  /**
   * Hash of the data model the mapping has yet to be made from; null when it may be read as it is.
   */
  const staleSince = async (objects: readonly ObjectToRead[], signal: AbortSignal): Promise<string | null> => {
    const lacking = objects.filter(({ map, object, operation }) => operation !== 'delete' && lacksFields(map, object));
    if (lacking.length === 0) return null;
    const catalog = await models.read(signal);
    return lacking.every(({ map }) => isStillThere(map, catalog)) ? null : catalog.hash;
  };

  return {
    readModels: (signal) => models.read(signal),
    async readOpLog({ mapping, cursor, limit, signal }) {
      const { entries, ...page } = await opLog.readAfter(cursor, Math.min(limit, journeyPageMax), signal);
      const maps = new Map(mapping.objects.map((map) => [map.model, map]));
      const objects = entries.flatMap(({ sequence, operation, object }) => {
        const map = maps.get(object.type);
        return map ? [{ map, object, operation, sequence }] : [];
      });
      const withheld = { ...page, entries: [], cursor, isLast: false };
      // Once only: should the two never agree on the hash, the fields themselves are what counts.
      const isNews = models.last !== undefined && ![models.last.hash, withheldFor].includes(page.dataModelHash);
      if (objects.length > 0 && isNews) {
        withheldFor = page.dataModelHash;
        return withheld;
      }
      const stale = await staleSince(objects, signal);
      if (stale !== null) return { ...withheld, dataModelHash: stale };
      return { ...page, entries: await toJourneyEntries(objects, knownAttachments) };
    },
    readHead: (signal) => opLog.readHead(signal),
    async listAfter(map, afterId, limit, signal) {
      const objects = await listObjects({ client, pace, signal }, map.model, { afterId, limit });
      const seen = objects.map((object) => ({ map, object, operation: 'update', sequence: '0' }) as const);
      const stale = await staleSince(seen, signal);
      if (stale !== null) throw new DataModelChanged(stale);
      return toJourneyEntries(seen, knownAttachments);
    },
    send: (mapping, writes, signal) => sendWrites(mapping, writes, { client, pace, signal }),
    async fetchAttachment(attachment, signal) {
      const file = await pace.run(client.baseUrl, () => client.attachment(attachment.url, { signal }), { signal });
      const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
      await knownAttachments.remember(attachment.id, blobValueOf(bytes));
      return { bytes, fileName: fileNameOf(attachment, file.mediaType), mediaType: file.mediaType };
    },
  };
}
