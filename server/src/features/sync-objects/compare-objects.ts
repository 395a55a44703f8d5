import type { SyncObject } from '@portal/contract/sync-objects';

/**
 * Adds the counterpart on the other side and the difference in count. Names match regardless of
 * case, as on the platforms.
 */
export function compareObjects(helium: readonly SyncObject[], journey: readonly SyncObject[]): SyncObject[] {
  return [...compare(helium, journey), ...compare(journey, helium)];
}

function compare(these: readonly SyncObject[], those: readonly SyncObject[]): SyncObject[] {
  const byName = new Map(those.map((object) => [object.objectName.toLowerCase(), object]));
  return these.map((object) => {
    const other = byName.get(object.objectName.toLowerCase());
    const isKnown = object.objectCount !== null && other !== undefined && other.objectCount !== null;
    return {
      ...object,
      counterpart: other?.objectName ?? null,
      difference: isKnown ? Number(object.objectCount) - Number(other.objectCount) : null,
    };
  });
}
