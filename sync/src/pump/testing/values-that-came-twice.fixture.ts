import { z } from 'zod';
import type { SyncWorld } from './sync-world.fixture.ts';

const opLogPage = z.object({
  entries: z.array(
    z.object({ object: z.object({ id: z.string(), name: z.unknown().optional(), code: z.unknown().optional() }) }),
  ),
});

/**
 * Values that Journey's records took on more than once: each is given only once, by whichever side.
 */
export async function valuesThatCameTwice({ deployment }: SyncWorld): Promise<string[]> {
  const seen = new Map<string, { name: unknown; code: unknown; values: Set<string> }>();
  const twice: string[] = [];
  for (let start = 1; ; start += 1_000) {
    const answer = await fetch(`${deployment.url}/oplog.json?start=${start}&end=${start + 1_000}&limit=1000`, {
      headers: { authorization: `Basic ${btoa(`${deployment.userName}:${deployment.password}`)}` },
    });
    const { entries } = opLogPage.parse(await answer.json());
    if (entries.length === 0) return twice;
    for (const { object } of entries) {
      const { id, name = null, code = null } = object;
      const before = seen.get(id) ?? { name: null, code: null, values: new Set<string>() };
      for (const [field, value, was] of [
        ['name', name, before.name],
        ['code', code, before.code],
      ]) {
        const told = `${id} ${field} ${value}`;
        if (value !== was && value !== null && before.values.has(told)) twice.push(told);
        before.values.add(told);
      }
      seen.set(id, { ...before, name, code });
    }
  }
}
