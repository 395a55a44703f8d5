import type { JourneyOperation } from '@portal/platforms/journey/wire';

/** Of one call's body; a record that is larger goes alone. */
export const batchBytesMax = 8_000_000;

/** What a batch has around its operations, and then some. */
const envelopeBytes = 100;

export interface IndexedOperation {
  /** In the order the writes were given. */
  readonly index: number;
  readonly operation: JourneyOperation;
}

/**
 * In the same order, as few calls as can be, none with more operations or bytes than allowed unless
 * it is one alone.
 */
export function splitByBytes(
  operations: readonly IndexedOperation[],
  { maxBytes, maxOperations }: { readonly maxBytes: number; readonly maxOperations: number },
): IndexedOperation[][] {
  const batches: IndexedOperation[][] = [];
  let batch: IndexedOperation[] = [];
  let bytes = envelopeBytes;
  // Counted only where the limit might be met: it means writing all of it as JSON once more.
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

/** A character becomes three bytes at most, or an escape of six. */
const maxBytesPerCharacter = 6;
/** Of a number, and of what stands around a value. */
const maxBytesPerValue = 32;

/** At least as many as its JSON has. */
function estimateMaxBytes(operation: JourneyOperation): number {
  let bytes = maxBytesPerValue;
  for (const [name, value] of Object.entries(operation.object)) {
    if (typeof value === 'object' && value !== null) return Number.POSITIVE_INFINITY;
    bytes += name.length * maxBytesPerCharacter + maxBytesPerValue;
    if (typeof value === 'string') bytes += value.length * maxBytesPerCharacter;
  }
  return bytes;
}
