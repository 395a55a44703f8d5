import { type SyncBase, syncBaseOf } from '@portal/contract/sync-base';
import { Invalid } from '@portal/kit/problems';

export function isAtBase(environmentName: string, base: SyncBase): boolean {
  return syncBaseOf(environmentName) === base;
}

/** Throws Invalid, naming the right one, when another environment's base was called. */
export function requireBase(
  { environment: { name } }: { readonly environment: { readonly name: string } },
  base: SyncBase,
): void {
  if (isAtBase(name, base)) return;
  throw new Invalid(`The sync service of ${name} is at ${syncBaseOf(name)}, not at ${base}.`);
}
