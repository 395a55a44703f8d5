/** A field of a request, such as `journey.baseUrl`, and what is wrong with it. */
export interface Fault {
  readonly field: string;
  readonly reason: string;
}

/** How many faults of a request are reported. */
export const maxFaults = 20;

/**
 * Returns the first faults and the number of the others: "a: is missing; b: is missing; and 3
 * more".
 */
export function describeFaults(faults: readonly Fault[]): string {
  const named = faults.slice(0, maxFaults).map(({ field, reason }) => `${field}: ${reason}`);
  const others = faults.length - named.length;
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ');
}
