import type { Schedule } from '@portal/contract/deployments';

/** Returns when the last of these was saved; null without any. */
export function findLastSave(schedules: readonly Schedule[]): string | null {
  return schedules.reduce<string | null>(
    (last, { updatedAt }) => (last === null || updatedAt > last ? updatedAt : last),
    null,
  );
}

/**
 * Replaces and adds the schedules that were saved since then, in the order of the server. Returns
 * the same list when none is newer.
 */
export function mergeSchedules(before: readonly Schedule[], saved: readonly Schedule[]): readonly Schedule[] {
  const revisions = new Map(before.map(({ id, revision }) => [id, revision]));
  const newer = saved.filter(({ id, revision }) => revision > (revisions.get(id) ?? 0));
  if (newer.length === 0) return before;
  const replaced = new Set(newer.map(({ id }) => id));
  return [...before.filter(({ id }) => !replaced.has(id)), ...newer].sort(compareLatestFirst);
}

function compareLatestFirst(a: Schedule, b: Schedule): number {
  return b.deploymentDate.localeCompare(a.deploymentDate) || Number(BigInt(b.id) - BigInt(a.id));
}
