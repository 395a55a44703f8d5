/** Finds records for operators: what both sides have now, and what is known of them. */
import { type FoundRecord, type FoundRecords, type FoundSide, maxFoundRecords } from '@portal/contract/sync-find';
import type { Pool } from '@portal/kit/postgres/pool';
import { Invalid } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { createJourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { openHeliumGateway } from '../helium/open-helium-gateway.ts';
import { findIdsByValue, findTablesWithRow } from '../helium/search-rows.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import type { FoundInStores, RecordSearch } from '../integration/operator-actions.ts';
import type { JourneyEntry } from '../journey/journey-gateway.ts';
import { openJourneyGateway } from '../journey/open-journey-gateway.ts';
import { DataModelChanged } from '../journey/stale-mapping.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { openKnownAttachments } from '../sync-state/attachments.store.ts';
import { findTablesWithState, readAcceptedMapping, readStoredRecord } from '../sync-state/find-record.store.ts';

/** An operator waits for it, so a search gives up soon. */
const searchTimeoutMs = 5_000;
const journeyTimeoutMs = 8_000;

interface FindParts {
  readonly pool: Pool;
  readonly stateId: number;
  readonly rateLimiter: JourneyRateLimiter;
}

export const nothingFound: FoundInStores = { records: [], isCut: false, objects: [], problem: null };

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
  const objects = maps.map(toSearchedObject);
  const found = await findIds(parts, integration.config.helium.dbSchema, maps, search);
  const records = await Promise.all(
    found.map(({ map, ids }) =>
      readFound(parts, integration, { ...search, map, ids: ids.slice(0, maxFoundRecords) }, signal),
    ),
  );
  const isCut = found.some(({ ids }) => ids.length > maxFoundRecords);
  return { records: records.flat(), isCut, objects, problem: null };
}

function toSearchedObject({ table, model, fields }: ObjectMap): FoundRecords['objects'][number] {
  return { table, model, columns: fields.filter(({ kind }) => kind !== 'blob').map(({ column }) => column) };
}

interface FoundIds {
  readonly map: ObjectMap;
  readonly ids: readonly string[];
}

async function findIds(
  { pool, stateId }: FindParts,
  schema: string,
  objects: readonly ObjectMap[],
  { id, table, column, value }: RecordSearch,
): Promise<FoundIds[]> {
  const map = objects.find((one) => one.table === table);
  if (table !== undefined && !map) throw new Invalid(`The table ${table} is not synced.`);
  if (id !== undefined) {
    // In a chosen table, it is also looked up in Journey when nothing else knows it.
    if (map) return [{ map, ids: [id] }];
    const tables = objects.map((one) => one.table);
    const withId = new Set([
      ...(await findTablesWithRow(pool, schema, tables, id)),
      ...(await findTablesWithState(pool, stateId, tables, id)),
    ]);
    return objects.filter((one) => withId.has(one.table)).map((one) => ({ map: one, ids: [id] }));
  }
  if (!map || column === undefined || value === undefined) return [];
  const limit = maxFoundRecords + 1;
  const ids = await findIdsByValue(pool, schema, { map, column, value, limit, timeoutMs: searchTimeoutMs });
  return [{ map, ids }];
}

interface KeysToRead extends FoundIds {
  readonly journeyPassword: Secret;
}

async function readFound(
  parts: FindParts,
  integration: StoredIntegration,
  { map, ids, journeyPassword }: KeysToRead,
  signal: AbortSignal,
): Promise<FoundInStores['records']> {
  const { pool, stateId } = parts;
  if (ids.length === 0) return [];
  const helium = openHeliumGateway({ pool, schema: integration.config.helium.dbSchema });
  const [rows, journey] = await Promise.all([
    helium.readRows(pool, map, ids),
    readJourney(parts, integration, { map, ids, journeyPassword }, signal),
  ]);
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const records: FoundInStores['records'] = [];
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
  { pool, stateId, rateLimiter }: FindParts,
  integration: StoredIntegration,
  { map, ids, journeyPassword }: KeysToRead,
  signal: AbortSignal,
): Promise<{ get(id: string): FoundSide }> {
  const gateway = openJourneyGateway({
    client: createClient(integration, journeyPassword),
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

/** Rethrows errors that are bugs. */
function explainJourney(error: unknown): string {
  if (error instanceof JourneyProblem) return error.message;
  if (error instanceof DataModelChanged)
    return "Journey's data model has changed. Search again when the integration has read it.";
  throw error;
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
  if (id === undefined) return { ...nothingFound, problem };
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
    conflicts: [],
  } satisfies Omit<FoundRecord, 'lines'>;
}
