/**
 * Tracks a value that is stored elsewhere, such as in the address, while a field reports changes of
 * it. A reported value takes effect later, so older ones may still arrive while the user types on.
 */
export interface TrackedValue {
  /** As it was last seen. */
  readonly value: string;
  /** Reported since then, the oldest first; each may still arrive. */
  readonly reported: readonly string[];
}

export function trackReport({ value, reported }: TrackedValue, next: string): TrackedValue {
  return { value, reported: [...reported, next] };
}

/**
 * Takes in the value as it is now. `isExternal`: it was changed by something else than the field.
 */
export function trackValue(
  before: TrackedValue,
  value: string,
): { readonly tracked: TrackedValue; readonly isExternal: boolean } {
  if (value === before.value) return { tracked: before, isExternal: false };
  const arrived = before.reported.indexOf(value);
  const isExternal = arrived === -1;
  return { tracked: { value, reported: isExternal ? [] : before.reported.slice(arrived + 1) }, isExternal };
}

/** Returns the value once everything that was reported has arrived. */
export function getExpectedValue({ value, reported }: TrackedValue): string {
  return reported.at(-1) ?? value;
}
