/** Finds records for operators: what both sides have now, and what is known of them. */
import { type FoundRecord, type FoundSide, maxFoundRecords, type SearchedObject } from '@portal/contract/sync/find';
import type { Secret } from '@portal/kit/secret';
import { createJourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { openHeliumGateway } from '../helium/open-helium-gateway.ts';
import { searchBriefly } from '../helium/search-rows.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import type { FoundInStores, RecordSearch } from '../integration/operator-actions.ts';
import type { JourneyEntry } from '../journey/journey-gateway.ts';
import { openJourneyGateway } from '../journey/open-journey-gateway.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { openKnownAttachments } from '../sync-state/attachments.store.ts';
import { readAcceptedMapping, readStoredRecord } from '../sync-state/find-record.store.ts';
import { readTrail } from '../sync-state/trail.store.ts';
import { explainJourney, type FindKeysParts, type FindParts, findKeys, searchTimeoutMs } from './find-keys.ts';

const journeyTimeoutMs = 8_000;
/** More than anyone reads, of a record that changes all day. */
const maxTrailEntries = 100;

export const nothingFound: FoundInStores = { records: [], isCut: false, notSearched: [], objects: [], problem: null };

/** See `OperatorActions`. */
export async function findRecords(
  parts: FindParts,
  integration: StoredIntegration,
  search: RecordSearch,
  signal: AbortSignal,
): Promise<FoundInStores> {
  const { pool, stateId } = parts;
  const mapping = await readAcceptedMapping(pool, stateId);
  if (mapping === null) return nothingFound;
  // Suspended tables may lack columns, or be gone.
  const maps = mapping.objects.filter(({ table }) => !mapping.suspendedTables?.includes(table));
  const client = createClient(integration, search.journeyPassword);
  const { keys, notSearched } = await findKeys({ ...parts, client }, integration.config.helium.dbSchema, {
    maps,
    search,
    signal,
  });
  const shown = keys.slice(0, maxFoundRecords);
  const records = await Promise.all(
    maps.map((map) => {
      const ids = shown.filter(({ table }) => table === map.table).map(({ id }) => id);
      return readFound({ ...parts, client }, integration, { map, ids }, signal);
    }),
  );
  const trail = await searchBriefly(pool, searchTimeoutMs, (db) => readTrail(db, stateId, shown, maxTrailEntries));
  const withTrail = records.flat().map((record) => ({ ...record, trail: trail && (trail.get(record) ?? []) }));
  const isCut = keys.length > maxFoundRecords;
  return { records: withTrail, isCut, notSearched, objects: maps.map(toSearchedObject), problem: null };
}

function toSearchedObject({ table, model, fields, toJourney, toHelium }: ObjectMap): SearchedObject {
  const columns = fields.filter(({ kind }) => kind !== 'blob').map(({ column }) => column);
  return { table, model, columns, toJourney, toHelium };
}

type FoundWithoutTrail = Omit<FoundInStores['records'][number], 'trail'>;

interface KeysToRead {
  readonly map: ObjectMap;
  readonly ids: readonly string[];
}

async function readFound(
  parts: FindKeysParts,
  integration: StoredIntegration,
  { map, ids }: KeysToRead,
  signal: AbortSignal,
): Promise<FoundWithoutTrail[]> {
  const { pool, stateId } = parts;
  if (ids.length === 0) return [];
  const helium = openHeliumGateway({ pool, schema: integration.config.helium.dbSchema });
  const [rows, journey] = await Promise.all([
    helium.readRows(pool, map, ids),
    readJourney(parts, { map, ids }, signal),
  ]);
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const records: FoundWithoutTrail[] = [];
  for (const id of ids) {
    const key = { table: map.table, id };
    const row = rowsById.get(id);
    records.push({
      ...key,
      model: map.model,
      helium: { values: row?.fields ?? null, changedAt: row?.changedAtMs ?? null, problem: null },
      journey: journey.get(id),
      ...(await readStoredRecord(pool, stateId, key)),
    });
  }
  return records;
}

/** Reads all objects in one call. A failure is part of the result. */
async function readJourney(
  { pool, stateId, rateLimiter, client }: FindKeysParts,
  { map, ids }: KeysToRead,
  signal: AbortSignal,
): Promise<{ get(id: string): FoundSide }> {
  const gateway = openJourneyGateway({
    client,
    rateLimiter,
    knownAttachments: openKnownAttachments(pool, stateId),
  });
  try {
    const entries = await gateway.listByIds(map, ids, signal);
    const byId = new Map(entries.map((entry) => [entry.key.id, entry]));
    return { get: (id) => toJourneySide(byId.get(id)) };
  } catch (error) {
    const problem = explainJourney(error);
    return { get: () => ({ values: null, changedAt: null, problem }) };
  }
}

function toJourneySide(entry: JourneyEntry | undefined): FoundSide {
  if (!entry) return { values: null, changedAt: null, problem: null };
  return { values: entry.fields, changedAt: entry.changedAtMs, problem: entry.problem ?? null };
}

function createClient({ config }: StoredIntegration, password: Secret) {
  const { baseUrl, restAPICredentials } = config.journey;
  return createJourneyClient({ baseUrl, userName: restAPICredentials.userName, password, timeoutMs: journeyTimeoutMs });
}

/**
 * Finds objects by id in Journey only, because Helium's database cannot be read. It also holds the
 * mapping, so fields have Journey's names and only models with the name of the table are read.
 */
export async function findInJourney(
  rateLimiter: JourneyRateLimiter,
  integration: StoredIntegration,
  { id, table, journeyPassword }: RecordSearch,
  { problem, signal }: { readonly problem: string; readonly signal: AbortSignal },
): Promise<FoundInStores> {
  if (id === undefined) {
    // The columns and their fields are stored in the same database.
    const notSearched = ['Until then, Journey can only be searched by id.'];
    return { ...nothingFound, notSearched, problem };
  }
  const client = createClient(integration, journeyPassword);
  const withoutFiles = { get: async () => new Map<string, string>() };
  const gateway = openJourneyGateway({ client, rateLimiter, knownAttachments: withoutFiles });
  const records: FoundInStores['records'] = [];
  try {
    const { models } = await gateway.readModels(signal);
    const chosen = models.filter(({ name }) => table === undefined || name.toLowerCase() === table);
    for (const { name: model } of chosen) {
      const { baseUrl } = client;
      const page = await rateLimiter.run(baseUrl, () => client.listByIds(model, [id], { signal }), { signal });
      for (const object of page.objects) records.push(toUnmappedRecord(model, object, problem));
    }
    return { ...nothingFound, records, problem };
  } catch (error) {
    return { ...nothingFound, problem: `${problem} ${explainJourney(error)}` };
  }
}

function toUnmappedRecord(
  model: string,
  { type: _, id, updated_at, ...values }: { readonly type: string; readonly id: string; readonly updated_at?: unknown },
  problem: string,
): FoundInStores['records'][number] {
  const changedAt = Date.parse(String(updated_at));
  return {
    table: model.toLowerCase(),
    model,
    id: id.toLowerCase(),
    helium: { values: null, changedAt: null, problem },
    journey: { values, changedAt: Number.isNaN(changedAt) ? null : changedAt, problem: null },
    known: null,
    isDirty: false,
    isLookAgainRequested: false,
    intents: [],
    held: [],
    waitedForBy: [],
    conflicts: [],
    trail: null,
  } satisfies Omit<FoundRecord, 'lines'>;
}
