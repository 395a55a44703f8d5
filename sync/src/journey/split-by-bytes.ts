import type { JourneyOperation } from '@portal/platforms/journey/wire';

/** Of one call's body; a record that is larger goes alone. */
export const BATCH_BYTES_MAX = 8_000_000;

/** What a batch has around its operations, and then some. */
const ENVELOPE_BYTES = 100;

export interface PlacedOperation {
  /** In the order the writes were given. */
  readonly place: number;
  readonly operation: JourneyOperation;
}

/** In the same order, as few calls as can be, none with more operations or bytes than allowed unless it is one alone. */
export function splitByBytes(
  operations: readonly PlacedOperation[],
  { mostBytes, mostOperations }: { readonly mostBytes: number; readonly mostOperations: number },
): PlacedOperation[][] {
  const batches: PlacedOperation[][] = [];
  let batch: PlacedOperation[] = [];
  let bytes = ENVELOPE_BYTES;
  for (const one of operations) {
    const added = Buffer.byteLength(JSON.stringify(one.operation)) + 1;
    if (batch.length > 0 && (batch.length >= mostOperations || bytes + added > mostBytes)) {
      batches.push(batch);
      batch = [];
      bytes = ENVELOPE_BYTES;
    }
    batch.push(one);
    bytes += added;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}
