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
  // Counted only where the limit might be met: it means writing all of it as JSON once more.
  const isSmall = operations.reduce((sum, { operation }) => sum + mostBytesOf(operation), bytes) <= mostBytes;
  for (const one of operations) {
    const added = isSmall ? 0 : Buffer.byteLength(JSON.stringify(one.operation)) + 1;
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

/** A character becomes three bytes at most, or an escape of six. */
const BYTES_OF_CHARACTER = 6;
/** Of a number, and of what stands around a value. */
const BYTES_OF_VALUE = 32;

/** At least as many as its JSON has. */
function mostBytesOf(operation: JourneyOperation): number {
  let bytes = BYTES_OF_VALUE;
  for (const [name, value] of Object.entries(operation.object)) {
    if (typeof value === 'object' && value !== null) return Number.POSITIVE_INFINITY;
    bytes += name.length * BYTES_OF_CHARACTER + BYTES_OF_VALUE;
    if (typeof value === 'string') bytes += value.length * BYTES_OF_CHARACTER;
  }
  return bytes;
}
