/**
 * Writes in as few calls as may be. One record that spoils a whole call – Journey runs nothing of a
 * request it finds ill-formed or too large – is found by halving, and refused alone.
 */
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyOperation, journeyErrors, journeyPageMax } from '@portal/platforms/journey/wire';
import type { Mapping } from '../mapping/object-map.ts';
import { fieldsToJourney } from '../mapping/to-journey.ts';
import { UnsupportedValue } from '../mapping/values.ts';
import type { JourneyOutcome, JourneyWrite } from './journey-end.ts';
import { batchBytesMax, type PlacedOperation, splitByBytes } from './split-by-bytes.ts';
import { outcomeOf, refusal } from './write-outcome.ts';

export interface Sending {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'batch'>;
  readonly pace: JourneyRateLimiter;
  readonly signal: AbortSignal;
}

/** So many records in a row spoil no call by chance: Journey, or we, have changed. */
const spoilersMax = 10;

/** One outcome each, in order. Throws a `JourneyProblem` when a call as a whole came to nothing. */
export async function sendWrites(
  mapping: Mapping,
  writes: readonly JourneyWrite[],
  { client, pace, signal }: Sending,
): Promise<JourneyOutcome[]> {
  const outcomes = new Map<number, JourneyOutcome>();
  const placed: PlacedOperation[] = [];
  for (const [place, write] of writes.entries()) {
    const operation = operationOf(mapping, write);
    if (operation instanceof UnsupportedValue)
      outcomes.set(place, { is: 'refused', kind: 'no JSON', reason: operation.reason });
    else placed.push({ place, operation });
  }

  let spoilersInARow = 0;
  const send = async (batch: readonly PlacedOperation[]): Promise<void> => {
    const operations = batch.map(({ operation }) => operation);
    try {
      const results = await pace.run(client.baseUrl, () => client.batch(operations, { signal }), { signal });
      spoilersInARow = 0;
      for (const [index, { place, operation }] of batch.entries()) {
        const result = results[index];
        if (result) outcomes.set(place, outcomeOf(operation, result));
      }
    } catch (error) {
      const [first] = batch;
      const refused = refusalOfCall(error);
      if (!first || !refused) throw error;
      if (batch.length > 1) {
        const half = Math.ceil(batch.length / 2);
        await send(batch.slice(0, half));
        await send(batch.slice(half));
        return;
      }
      spoilersInARow += 1;
      if (spoilersInARow >= spoilersMax) throw error;
      outcomes.set(first.place, refused);
    }
  };
  const limits = { mostBytes: batchBytesMax, mostOperations: journeyPageMax };
  for (const batch of splitByBytes(placed, limits)) await send(batch);

  return writes.map((_, place) => {
    const outcome = outcomes.get(place);
    if (!outcome) throw new Error('A write has no outcome.');
    return outcome;
  });
}

function operationOf(
  mapping: Mapping,
  { key, method, fields, blobs }: JourneyWrite,
): JourneyOperation | UnsupportedValue {
  const map = mapping.objects.find(({ table }) => table === key.table);
  if (!map) throw new Error(`The table ${key.table} is not mapped.`);
  const identity = { type: map.model, id: key.id };
  if (method === 'delete') return { method, object: identity };
  const object = fieldsToJourney(map, fields, blobs);
  return object instanceof UnsupportedValue ? object : { method, object: Object.assign(object, identity) };
}

/** When the call was refused for what is in it; undefined for every other trouble. */
function refusalOfCall(problem: unknown): (JourneyOutcome & { readonly is: 'refused' }) | undefined {
  if (!(problem instanceof JourneyProblem)) return undefined;
  const { failure, message } = problem;
  if (failure.kind === 'too-large' && failure.what === 'request')
    return { is: 'refused', kind: 'too large', reason: message };
  const isAboutContent =
    failure.kind === 'invalid-request' &&
    (failure.type === journeyErrors.invalidRequest || failure.type === journeyErrors.invalidValue);
  return isAboutContent ? refusal({ type: failure.type, title: null, detail: message }) : undefined;
}
