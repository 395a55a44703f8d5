import type { ObjectMap } from './object-map.ts';

/**
 * Sorts each object after those its relations reference, and by name where there is no relation. In
 * a cycle, the object that is visited first comes last.
 */
export function orderParentsFirst(objects: readonly ObjectMap[]): ObjectMap[] {
  const byTable = new Map(objects.map((object) => [object.table, object]));
  const visited = new Set<string>();
  const ordered: ObjectMap[] = [];
  const visit = (object: ObjectMap) => {
    if (visited.has(object.table)) return;
    visited.add(object.table);
    for (const parent of object.fields.map(({ references }) => references).sort()) {
      const parentObject = parent === undefined ? undefined : byTable.get(parent);
      if (parentObject) visit(parentObject);
    }
    ordered.push(object);
  };
  for (const table of [...byTable.keys()].sort()) {
    const object = byTable.get(table);
    if (object) visit(object);
  }
  return ordered;
}
