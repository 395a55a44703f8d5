import { type SyncBase, syncBaseOf } from '@portal/contract/sync';
import { Invalid } from '@portal/kit/problems';
import type { Caller } from '../../session/caller.ts';

/** Throws Invalid, naming the right one, when another environment's base was called. */
export function requireBase({ environment: { name } }: Caller, base: SyncBase): void {
  const right = syncBaseOf(name);
  if (right !== base)
    throw new Invalid(`You are signed in to ${name}, whose sync service is at ${right}, not at ${base}.`);
}
