import type { JourneyClient } from '@portal/platforms/journey/client';
import { type JourneyFailureKind, JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyObject, journeyPageMax } from '@portal/platforms/journey/wire';
import type { ObjectMap } from '../mapping/object-map.ts';
import { addTypes, type FindKnown } from './add-types.ts';
import { createCatalogReader } from './catalog-reader.ts';
import { createFileName } from './file-name.ts';
import { createJourneyClock, type JourneyClock } from './journey-clock.ts';
import type { JourneyGateway } from './journey-gateway.ts';
import type { KnownAttachments } from './known-attachments.ts';
import { listObjects, listObjectsByIds } from './list-objects.ts';
import { createOpLogReader } from './op-log-reader.ts';
import { getChangedAtMs, type ObjectToRead, toJourneyEntries } from './read-entries.ts';
import { sendWrites } from './send-writes.ts';
import { DataModelChanged, hasAllFields, hasMissingFields } from './stale-mapping.ts';
import { sortEntries } from './unreadable-entries.ts';

/** Journey's own answers to a call that a deployment does not offer. */
const unavailableKinds: ReadonlySet<JourneyFailureKind> = new Set(['not-found', 'invalid-request']);

export interface JourneyGatewayOptions {
  readonly client: JourneyClient;
  /** Shared by all gateways of a process, because hosts and deployments share rate limits. */
  readonly rateLimiter: JourneyRateLimiter;
  readonly knownAttachments: KnownAttachments;
  /** Returns which of these records Journey is known to have. Default: none. */
  readonly findKnown?: FindKnown;
  /** Reports once per model what cannot be read, in a sentence. */
  readonly warn?: (text: string) => void;
  /** Watches the client's calls. Without it, Journey's time is this host's. */
  readonly clock?: JourneyClock;
}

/**
 * Opens the gateway to a deployment. Every call is rate-limited, so any may throw `throttled` too.
 */
export function openJourneyGateway({
  client,
  rateLimiter,
  knownAttachments,
  findKnown = async () => [],
  warn = () => undefined,
  clock = createJourneyClock(),
}: JourneyGatewayOptions): JourneyGateway {
  const opLog = createOpLogReader({ client, rateLimiter });
  const models = createCatalogReader({ client, rateLimiter });
  let withheldForHash = '';
  const warnedModels = new Set<string>();
  const onUnreadable = (model: string) => {
    if (warnedModels.has(model)) return;
    warnedModels.add(model);
    warn(
      `Journey lists objects of ${model} that cannot be read: they have no id, or are no objects. All others are synced.`,
    );
  };
  const listing = { client, rateLimiter, onUnreadable };

  /**
   * Returns the hash of a data model that the mapping does not cover yet, or null when the objects
   * can be read.
   */
  const findNewerModelHash = async (objects: readonly ObjectToRead[], signal: AbortSignal): Promise<string | null> => {
    const incomplete = objects.filter(
      ({ map, object, operation, problem }) =>
        operation !== 'delete' && problem === undefined && hasMissingFields(map, object),
    );
    if (incomplete.length === 0) return null;
    const catalog = await models.read(signal);
    return incomplete.every(({ map }) => hasAllFields(map, catalog)) ? null : catalog.hash;
  };

  /** Returns the hash of the data model, which is read again where Journey does not state it. */
  const chooseHash = async (stated: string | null, hasObjects: boolean, signal: AbortSignal): Promise<string> => {
    if (stated !== null) return stated;
    return (hasObjects || models.last === undefined ? await models.read(signal) : models.last).hash;
  };

  /** Throws `DataModelChanged` when the model was removed or no longer has a mapped field. */
  const readListed = async (map: ObjectMap, list: () => Promise<JourneyObject[]>, signal: AbortSignal) => {
    const objects = await list().catch(async (error: unknown) => {
      if (!(error instanceof JourneyProblem && error.failure.kind === 'not-found')) throw error;
      const { models: found, hash } = await models.read(signal);
      throw found.some(({ name }) => name === map.model) ? error : new DataModelChanged(hash);
    });
    const objectsToRead = objects.map((object) => ({ map, object, operation: 'update', sequence: '0' }) as const);
    const newerHash = await findNewerModelHash(objectsToRead, signal);
    if (newerHash !== null) throw new DataModelChanged(newerHash);
    return toJourneyEntries(objectsToRead, knownAttachments);
  };

  /** Lists these objects; none when the data model no longer has the model. */
  const listExisting = async (model: string, ids: readonly string[], signal: AbortSignal) => {
    try {
      return await listObjectsByIds({ ...listing, signal }, model, ids);
    } catch (error) {
      if (error instanceof JourneyProblem && error.failure.kind === 'not-found') return [];
      throw error;
    }
  };

  return {
    readModels: (signal) => models.read(signal),
    async readOpLog({ mapping, cursor, isStart, limit, signal }) {
      const lastHash = models.last?.hash;
      const read = await opLog.readAfter({ cursor, isStart }, Math.min(limit, journeyPageMax), signal);
      const maps = new Map(mapping.objects.map((map) => [map.model, map]));
      const findListed = async (model: string, ids: readonly string[]) =>
        (await listExisting(model, ids, signal)).map(({ id }) => id);
      const entries = await addTypes(read.entries, mapping.objects, { findKnown, findListed });
      const { objects, unreadable } = sortEntries(entries, maps);
      const page = { ...read, dataModelHash: await chooseHash(read.dataModelHash, objects.length > 0, signal) };
      const withheld = { ...page, entries: [], unreadable: [], cursor, point: page.start, isLast: false };
      // Only once: if the two never agree on the hash, the fields decide.
      const isNewHash = lastHash !== undefined && ![lastHash, withheldForHash].includes(page.dataModelHash);
      if (objects.length > 0 && isNewHash) {
        withheldForHash = page.dataModelHash;
        return withheld;
      }
      const newerHash = await findNewerModelHash(objects, signal);
      if (newerHash !== null) return { ...withheld, dataModelHash: newerHash };
      return { ...page, unreadable, entries: await toJourneyEntries(objects, knownAttachments) };
    },
    async readDeployedAt(signal) {
      try {
        return (await rateLimiter.run(client.baseUrl, () => client.info({ signal }), { signal })).last_deployed_at;
      } catch (error) {
        // Every other call still works where a deployment does not offer this one.
        if (error instanceof JourneyProblem && unavailableKinds.has(error.failure.kind)) return null;
        throw error;
      }
    },
    nowMs: () => clock.nowMs(),
    readHead: async (signal) => (await opLog.readTail(signal)).point?.sequence ?? '0',
    async readTail(signal) {
      const { point, dataModelHash } = await opLog.readTail(signal);
      return { point, dataModelHash: await chooseHash(dataModelHash, false, signal) };
    },
    readOldest: (signal) => opLog.readOldest(signal),
    readPoint: (sequence, signal) => opLog.readPoint(sequence, signal),
    async readUpdatedAtMs({ model, id }, signal) {
      const [object] = await listExisting(model, [id], signal);
      return object ? getChangedAtMs(object) : null;
    },
    async findVersionProblem(version, signal) {
      if (version === '0' || (await opLog.readPoint(version, signal))) return null;
      const end = (await opLog.readTail(signal)).point?.sequence;
      if (end === undefined) return `Journey's op-log is empty, so it does not hold version ${version}. Use 0.`;
      return BigInt(end) < BigInt(version)
        ? `Journey's op-log has not reached version ${version} yet: it ends at ${end}. Use ${end} or a smaller version.`
        : `Journey's op-log no longer holds version ${version}: its oldest entries have expired. Use a later version, or 0 to read everything.`;
    },
    async countObjects({ model }, sinceMs, signal) {
      const { baseUrl } = client;
      const count = await rateLimiter.run(baseUrl, () => client.count(model, { signal }), { signal });
      if (sinceMs === null) return { count, writtenSince: [] };
      const filter = { '_updated_at.gte': new Date(sinceMs).toISOString() };
      const list = () => client.list(model, { limit: 2, total: false, filter, signal });
      const { objects } = await rateLimiter.run(baseUrl, list, { signal });
      return { count, writtenSince: objects.map(({ id }) => id.toLowerCase()) };
    },
    listAfter: (map, afterId, limit, signal) =>
      readListed(map, () => listObjects({ ...listing, signal }, map.model, { afterId, limit }), signal),
    listByIds: (map, ids, signal) =>
      readListed(map, () => listObjectsByIds({ ...listing, signal }, map.model, ids), signal),
    send: (mapping, writes, signal, onCall) => sendWrites(mapping, writes, { client, rateLimiter, signal, onCall }),
    async isAnsweringWrites(signal) {
      try {
        await rateLimiter.run(client.baseUrl, () => client.probeBatch({ signal }), { signal });
        return true;
      } catch (error) {
        if (!(error instanceof JourneyProblem)) throw error;
        // Journey may refuse a batch without operations.
        return error.failure.kind === 'invalid-request';
      }
    },
    async fetchAttachment({ id, url, type }, signal) {
      const download = () => client.attachment(url, type, { signal });
      const file = await rateLimiter.run(client.baseUrl, download, { signal, isFile: true });
      const { bytes, mediaType, fileName } = file;
      return { bytes, fileName: fileName ?? createFileName(id, mediaType), mediaType };
    },
  };
}
