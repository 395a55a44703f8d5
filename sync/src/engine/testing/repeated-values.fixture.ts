import { z } from 'zod';
import type { SyncWorld } from './sync-world.fixture.ts';

const opLogPage = z.object({
  entries: z.array(
    z.object({ object: z.object({ id: z.string(), name: z.unknown().optional(), code: z.unknown().optional() }) }),
  ),
});

/**
 * Returns the values that Journey's records took more than once. Each value is written only once by
 * either side.
 */
export async function findRepeatedValues({ deployment }: SyncWorld): Promise<string[]> {
  const seen = new Map<string, { name: unknown; code: unknown; values: Set<string> }>();
  const repeated: string[] = [];
  for (let start = 1; ; start += 1_000) {
    const response = await fetch(`${deployment.url}/oplog.json?start=${start}&end=${start + 1_000}&limit=1000`, {
      headers: { authorization: `Basic ${btoa(`${deployment.userName}:${deployment.password}`)}` },
    });
    const { entries } = opLogPage.parse(await response.json());
    if (entries.length === 0) return repeated;
    for (const { object } of entries) {
      const { id, name = null, code = null } = object;
      const before = seen.get(id) ?? { name: null, code: null, values: new Set<string>() };
      for (const [field, value, was] of [
        ['name', name, before.name],
        ['code', code, before.code],
      ]) {
        const seenValue = `${id} ${field} ${value}`;
        if (value !== was && value !== null && before.values.has(seenValue)) repeated.push(seenValue);
        before.values.add(seenValue);
      }
      seen.set(id, { ...before, name, code });
    }
  }
}
