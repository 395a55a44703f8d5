import type { Caller } from './caller.ts';
import { InvalidFields } from './invalid-fields.ts';

/** The server adds the environment of the session; a request may only repeat it. */
export function requireSameEnvironment({ environment }: Caller, requested: string | undefined): void {
  if (requested !== undefined && requested !== environment)
    throw new InvalidFields([{ field: 'environment', reason: `is not ${environment}` }]);
}
