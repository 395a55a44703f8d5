import type { SyncObject } from '@portal/contract/sync-objects';

/**
 * Adds to each what it is called on the other side, and how many it has more. The two are the same
 * when their names are, however capitalised: so the platforms match them.
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
