import type { JourneyOperation } from '@portal/platforms/journey/wire';

/** Maximum body size of one call; a larger record is sent in a call of its own. */
export const batchBytesMax = 8_000_000;

/** Upper bound of a batch's bytes outside its operations. */
const envelopeBytes = 100;

export interface IndexedOperation {
  /** Position in the list of writes. */
  readonly index: number;
  readonly operation: JourneyOperation;
}

/**
 * Splits operations into as few calls as possible, in the same order. No call exceeds either limit
 * unless it has a single operation.
 */
export function splitByBytes(
  operations: readonly IndexedOperation[],
  { maxBytes, maxOperations }: { readonly maxBytes: number; readonly maxOperations: number },
): IndexedOperation[][] {
  const batches: IndexedOperation[][] = [];
  let batch: IndexedOperation[] = [];
  let bytes = envelopeBytes;
  // Measure only when the limit may be reached: it serializes all writes again.
  const isSmall = operations.reduce((sum, { operation }) => sum + estimateMaxBytes(operation), bytes) <= maxBytes;
  for (const one of operations) {
    const addedBytes = isSmall ? 0 : Buffer.byteLength(JSON.stringify(one.operation)) + 1;
    if (batch.length > 0 && (batch.length >= maxOperations || bytes + addedBytes > maxBytes)) {
      batches.push(batch);
      batch = [];
      bytes = envelopeBytes;
    }
    batch.push(one);
    bytes += addedBytes;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** A character is at most three bytes, or an escape of six. */
const maxBytesPerCharacter = 6;
/** A number, and the punctuation around a value. */
const maxBytesPerValue = 32;

/** Returns an upper bound of the operation's JSON size. */
function estimateMaxBytes(operation: JourneyOperation): number {
  let bytes = maxBytesPerValue;
  for (const [name, value] of Object.entries(operation.object)) {
    if (typeof value === 'object' && value !== null) return Number.POSITIVE_INFINITY;
    bytes += name.length * maxBytesPerCharacter + maxBytesPerValue;
    if (typeof value === 'string') bytes += value.length * maxBytesPerCharacter;
  }
  return bytes;
}
