/**
 * Sends writes in as few calls as possible. Journey executes nothing of a request that it finds
 * malformed or too large; bisection finds the record that causes this, and only that record is
 * refused.
 */
import type { JourneyOperationResult } from '@portal/platforms/journey/batch-wire';
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import {
  type JourneyFields,
  type JourneyOperation,
  journeyErrors,
  journeyPageMax,
} from '@portal/platforms/journey/wire';
import type { Mapping, ObjectMap } from '../mapping/object-map.ts';
import { fieldsToJourney } from '../mapping/to-journey.ts';
import { UnsupportedValue } from '../mapping/values.ts';
import { createFields } from '../record/fields.ts';
import type { JourneyOutcome, JourneyWrite } from './journey-gateway.ts';
import { batchBytesMax, type IndexedOperation, splitByBytes } from './split-by-bytes.ts';
import { toOutcome, toRefusal } from './write-outcome.ts';

export interface SendContext {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'batch'>;
  readonly rateLimiter: JourneyRateLimiter;
  readonly signal: AbortSignal;
  /** Runs before each call. */
  readonly onCall?: (() => void) | undefined;
}

/**
 * This many refused records in a row are no coincidence: Journey's API or this client has changed.
 */
const maxConsecutiveRefusals = 10;

/** Returns one outcome per write, in order. Throws a `JourneyProblem` when a whole call failed. */
export async function sendWrites(
  mapping: Mapping,
  writes: readonly JourneyWrite[],
  { client, rateLimiter, signal, onCall }: SendContext,
): Promise<JourneyOutcome[]> {
  const outcomes = new Map<number, JourneyOutcome>();
  const indexed: IndexedOperation[] = [];
  for (const [index, write] of writes.entries()) {
    const operation = toOperation(mapping, write);
    if (operation instanceof UnsupportedValue)
      outcomes.set(index, { status: 'refused', kind: 'invalid number', reason: operation.reason });
    else indexed.push({ index, operation });
  }

  let consecutiveRefusals = 0;
  const send = async (batch: readonly IndexedOperation[]): Promise<void> => {
    const operations = batch.map(({ operation }) => operation);
    const call = () => {
      onCall?.();
      return client.batch(operations, { signal });
    };
    try {
      const results = await rateLimiter.run(client.baseUrl, call, { signal });
      consecutiveRefusals = 0;
      const isFailed = results.map(({ success }) => success === false);
      const skipped: IndexedOperation[] = [];
      for (const [position, one] of batch.entries()) {
        const { index, operation } = one;
        const result = results[position];
        // Journey may stop at an error although it was asked not to: the others follow at once.
        if (result?.success === 'skipped' && isFailed.slice(0, position).includes(true)) skipped.push(one);
        else if (result) outcomes.set(index, withFileIds(mapping, writes[index], toOutcome(operation, result), result));
      }
      if (skipped.length > 0) await send(skipped);
    } catch (error) {
      const [first] = batch;
      const refused = toCallRefusal(error);
      if (!first || !refused) throw error;
      if (batch.length > 1) {
        const half = Math.ceil(batch.length / 2);
        await send(batch.slice(0, half));
        await send(batch.slice(half));
        return;
      }
      consecutiveRefusals += 1;
      if (consecutiveRefusals >= maxConsecutiveRefusals) throw error;
      outcomes.set(first.index, refused);
    }
  };
  const limits = { maxBytes: batchBytesMax, maxOperations: journeyPageMax };
  for (const batch of splitByBytes(indexed, limits)) await send(batch);

  return writes.map((_, index) => {
    const outcome = outcomes.get(index);
    if (!outcome) throw new Error('A write has no outcome.');
    return outcome;
  });
}

function toOperation(
  mapping: Mapping,
  { key, method, fields, blobs, keptFiles }: JourneyWrite,
): JourneyOperation | UnsupportedValue {
  const map = mapping.objects.find(({ table }) => table === key.table);
  if (!map) throw new Error(`The table ${key.table} is not mapped.`);
  const identity = { type: map.model, id: key.id };
  if (method === 'delete') return { method, object: identity };
  const object = fieldsToJourney(map, fields, blobs);
  if (object instanceof UnsupportedValue) return object;
  const files = keptFiles && toKeptFiles(map, keptFiles);
  return { method, object: Object.assign(object, files, identity) };
}

function toKeptFiles(map: ObjectMap, keptFiles: NonNullable<JourneyWrite['keptFiles']>): JourneyFields {
  const object: Record<string, string> = {};
  for (const { column, field } of map.fields)
    if (Object.hasOwn(keptFiles, column)) object[`${field}_id`] = keptFiles[column] ?? '';
  return object;
}

/** Adds Journey's ids of the files that were sent, by which they are recognized later. */
function withFileIds(
  mapping: Mapping,
  write: JourneyWrite | undefined,
  outcome: JourneyOutcome,
  { object }: JourneyOperationResult,
): JourneyOutcome {
  if (outcome.status !== 'done' || !write?.blobs) return outcome;
  const fileIds = createFields<string>();
  for (const { column, field } of mapping.objects.find(({ table }) => table === write.key.table)?.fields ?? []) {
    const id = object[`${field}_id`];
    if (Object.hasOwn(write.blobs, column) && typeof id === 'string') fileIds[column] = id;
  }
  return { ...outcome, fileIds };
}

/**
 * Returns the refusal when the call failed because of its content; undefined for every other
 * failure.
 */
function toCallRefusal(problem: unknown): (JourneyOutcome & { readonly status: 'refused' }) | undefined {
  if (!(problem instanceof JourneyProblem)) return undefined;
  const { failure, message } = problem;
  if (failure.kind === 'too-large' && failure.what === 'request')
    return { status: 'refused', kind: 'too large', reason: message };
  const isAboutContent =
    failure.kind === 'invalid-request' &&
    (failure.type === journeyErrors.invalidRequest || failure.type === journeyErrors.invalidValue);
  return isAboutContent ? toRefusal({ type: failure.type, title: null, detail: message }) : undefined;
}
