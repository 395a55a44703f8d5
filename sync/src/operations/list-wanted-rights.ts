import { type Enrollment, hasContainers } from '@portal/contract/sync/enrollment';
import type { TableRight, WantedRights } from '../helium/find-missing-rights.ts';
import type { ObjectMap } from '../mapping/object-map.ts';

const all: readonly TableRight[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/**
 * Returns what is done with an app's tables: those of the objects by direction, and of enrollment.
 */
export function listWantedRights(
  enrollment: Enrollment,
  objects: readonly Pick<ObjectMap, 'table' | 'toHelium'>[],
): WantedRights {
  const wanted = new Map<string, readonly TableRight[]>();
  for (const { table, toHelium } of objects) wanted.set(table, toHelium ? all : ['SELECT']);
  if (!enrollment.enabled) return wanted;
  const add = (objectName: string, rights: readonly TableRight[]) => {
    const table = objectName.trim().toLowerCase();
    const known = wanted.get(table) ?? [];
    wanted.set(
      table,
      all.filter((right) => rights.includes(right) || known.includes(right)),
    );
  };
  add(enrollment.heliumObjectName, ['SELECT', 'UPDATE']);
  if (enrollment.type === 'session') {
    // Their rows are replaced.
    add(enrollment.sessionObjectName, all);
    if (hasContainers(enrollment)) add(enrollment.sessionContainerObjectName, all);
  }
  return wanted;
}
