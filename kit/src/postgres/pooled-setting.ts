/** Reads the parameter `pooled` of PostgreSQL addresses: whether an address is that of a pooler. */

export const pooledParameter = 'pooled';

/** `auto` recognizes a pooler at each connection. */
const values = ['auto', 'yes', 'no'] as const;
export type Pooled = (typeof values)[number];

/** Returns what the address says, or `auto`. */
export function readPooled(address: string): Pooled {
  const written = readParameter(address);
  return values.find((value) => value === written) ?? 'auto';
}

/** Returns what is wrong with the parameter of a valid address; none if nothing is. */
export function findPooledProblems(address: string): string[] {
  const written = readParameter(address);
  if (written === null || values.some((value) => value === written)) return [];
  return [`${pooledParameter}=${written} is not one of ${values.join(', ')}`];
}

function readParameter(address: string): string | null {
  return new URL(address).searchParams.get(pooledParameter);
}
