import * as z from 'zod/mini';

/** A check that removes repeated values from a list, so that nothing is done twice. */
export function distinct() {
  return z.overwrite((values: string[]) => [...new Set(values)]);
}
