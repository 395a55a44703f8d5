/** Reads the parameter `pooled` of PostgreSQL addresses: whether an address is that of a pooler. */

export const pooledParameter = 'pooled';

/** `auto` recognizes a pooler at each connection. */
const values = ['auto', 'yes', 'no'] as const;
export type Pooled = (typeof values)[number];

/** Returns the setting of an address; `auto` if it has none. */
export function readPooled(address: string): Pooled {
  const written = readParameter(address);
  return values.find((value) => value === written) ?? 'auto';
}

/** Returns the problems of the parameter in a valid address. */
export function findPooledProblems(address: string): string[] {
  const written = readParameter(address);
  if (written === null || values.some((value) => value === written)) return [];
  return [`${pooledParameter}=${written} is not one of ${values.join(', ')}`];
}

function readParameter(address: string): string | null {
  return new URL(address).searchParams.get(pooledParameter);
}
