import type { JourneyOperation } from '@portal/platforms/journey/wire';

/** Of one call's body; a record that is larger goes alone. */
export const batchBytesMax = 8_000_000;

/** What a batch has around its operations, and then some. */
const envelopeBytes = 100;

export interface PlacedOperation {
  /** In the order the writes were given. */
  readonly place: number;
  readonly operation: JourneyOperation;
}

/**
 * In the same order, as few calls as can be, none with more operations or bytes than allowed unless
 * it is one alone.
 */
export function splitByBytes(
  operations: readonly PlacedOperation[],
  { mostBytes, mostOperations }: { readonly mostBytes: number; readonly mostOperations: number },
): PlacedOperation[][] {
  const batches: PlacedOperation[][] = [];
  let batch: PlacedOperation[] = [];
  let bytes = envelopeBytes;
  // Counted only where the limit might be met: it means writing all of it as JSON once more.
  const isSmall = operations.reduce((sum, { operation }) => sum + mostBytesOf(operation), bytes) <= mostBytes;
  for (const one of operations) {
    const added = isSmall ? 0 : Buffer.byteLength(JSON.stringify(one.operation)) + 1;
    if (batch.length > 0 && (batch.length >= mostOperations || bytes + added > mostBytes)) {
      batches.push(batch);
      batch = [];
      bytes = envelopeBytes;
    }
    batch.push(one);
    bytes += added;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** A character becomes three bytes at most, or an escape of six. */
const bytesOfCharacter = 6;
/** Of a number, and of what stands around a value. */
const bytesOfValue = 32;

/** At least as many as its JSON has. */
function mostBytesOf(operation: JourneyOperation): number {
  let bytes = bytesOfValue;
  for (const [name, value] of Object.entries(operation.object)) {
    if (typeof value === 'object' && value !== null) return Number.POSITIVE_INFINITY;
    bytes += name.length * bytesOfCharacter + bytesOfValue;
    if (typeof value === 'string') bytes += value.length * bytesOfCharacter;
  }
  return bytes;
}
