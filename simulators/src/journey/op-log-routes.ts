/**
 * The change feed with both kinds of cursors: plain numbers, or text ids with the next start
 * (`sequence_ids=true`).
 */
import type { Api, Call } from './api.ts';
import { invalidRequest } from './api-problem.ts';
import { instantText } from './calendar.ts';
import type { Deployment } from './deployment.ts';
import { readCount } from './list-query.ts';
import { viewObjects } from './object-view.ts';
import { readRange, readTail } from './op-log.ts';
import type { LogEntry } from './write-plan.ts';

const maxEntries = 400;
const maxLimit = 1000;
const overlap = 10n;
const maxSequence = 2n ** 63n - 1n;

export function registerOpLogRoutes(api: Api): void {
  const lastResponses = new WeakMap<Deployment, string>();
  api.on('GET', 'oplog.json', async (call) => {
    const repeated = call.fault?.mode === 'repeat-page' ? lastResponses.get(call.deployment) : undefined;
    const response = repeated ?? (await readPage(call));
    lastResponses.set(call.deployment, response);
    return call.reply.type('application/json; charset=utf-8').send(response);
  });
}

interface Page {
  readonly entries: readonly LogEntry[];
  readonly hasMore: boolean;
  /** The next start when there are no entries. */
  readonly start: bigint;
}

async function readPage(call: Call): Promise<string> {
  const { deployment, query, fault } = call;
  // Read before the entries: a model deployed in between appears on the next page at the latest.
  const { hash } = deployment.dataModel();
  const limit = Math.min(readCount('limit', query.get('limit')) ?? maxEntries, maxLimit);
  if (limit === 0) throw invalidRequest(`'limit' must be at least 1.`);
  const page = query.get('tail') === 'true' ? await tail(deployment, limit) : await range(call, limit);
  const ordered = fault?.mode === 'reorder-page' ? { ...page, entries: [...page.entries].reverse() } : page;
  const objects = await viewEntries(call, ordered.entries);
  const getTail = `"datamodel_hash":${JSON.stringify(hash)}}`;
  if (query.get('sequence_ids') !== 'true') {
    // Written by hand because JSON.stringify cannot write numbers beyond 2^53.
    const entries = ordered.entries.map(
      ({ sequence, operation }, index) =>
        `{"sequence":${sequence},"operation":"${operation}","object":${JSON.stringify(objects[index])}}`,
    );
    return `{"entries":[${entries.join(',')}],${getTail}`;
  }
  const entries = ordered.entries.map(({ sequence, operation }, index) => ({
    sequence_id: sequence,
    app_id: null,
    operation,
    events: [],
    object: objects[index],
  }));
  const last = page.entries.at(-1);
  const next = last === undefined ? page.start : BigInt(last.sequence) + 1n;
  const cursor = { entries, has_more: page.hasMore, next_request_start: String(next) };
  return `${JSON.stringify(cursor).slice(0, -1)},${getTail}`;
}

async function tail(deployment: Deployment, limit: number): Promise<Page> {
  return { entries: await readTail(deployment, limit), hasMore: false, start: 1n };
}

async function range({ deployment, query, fault }: Call, limit: number): Promise<Page> {
  const start = readSequence('start', query.get('start'));
  if (start === undefined) throw invalidRequest(`'start' is missing.`);
  const from = fault?.mode === 'overlap-page' ? start - overlap : start;
  const end = readSequence('end', query.get('end'));
  const read = await readRange(deployment, {
    start: String(from),
    end: end === undefined ? undefined : String(end),
    limit,
  });
  return { ...read, start };
}

function readSequence(name: string, text: string | null): bigint | undefined {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > maxSequence) throw invalidRequest(`'${name}' is not a sequence.`);
  return BigInt(text);
}

/** A deleted object has only its name. */
async function viewEntries({ deployment, url }: Call, entries: readonly LogEntry[]) {
  const kept = entries.filter(({ operation }) => operation !== 'delete');
  const views = await viewObjects(
    deployment,
    kept.map(({ object }) => object),
    { url },
  );
  let position = 0;
  return entries.map(({ operation, object: { id, type, updatedAt } }) =>
    operation === 'delete' ? { id, type, updated_at: instantText(updatedAt) } : views[position++],
  );
}
