import { getSyncBase, type SyncBase } from '@portal/contract/sync/base';
import { Invalid } from '@portal/kit/problems';

export function isAtBase(environmentName: string, base: SyncBase): boolean {
  return getSyncBase(environmentName) === base;
}

/** Throws Invalid, with the correct base, if the base belongs to another environment. */
export function requireBase(
  { environment: { name } }: { readonly environment: { readonly name: string } },
  base: SyncBase,
): void {
  if (isAtBase(name, base)) return;
  throw new Invalid(`The sync service of ${name} is at ${getSyncBase(name)}, not at ${base}.`);
}
