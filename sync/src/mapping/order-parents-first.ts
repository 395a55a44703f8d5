import type { ObjectMap } from './object-map.ts';

/**
 * Each object after those its relations point at, and by name where there is no relation. In a cycle, the one that is
 * met first comes last.
 */
export function parentsFirst(objects: readonly ObjectMap[]): ObjectMap[] {
  const byTable = new Map(objects.map((object) => [object.table, object]));
  const met = new Set<string>();
  const ordered: ObjectMap[] = [];
  const visit = (object: ObjectMap) => {
    if (met.has(object.table)) return;
    met.add(object.table);
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
