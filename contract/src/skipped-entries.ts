/**
 * Portal extension: the header of a response without entries that the portal could not read in the
 * platform's response. It has the number of them and the reasons for the first ones.
 */
export const skippedEntriesHeader = 'portal-skipped-entries';

export interface SkippedEntries {
  readonly count: number;
  readonly reasons: readonly string[];
}

const maxReasons = 10;
const maxReasonLength = 200;

export function formatSkippedEntries(reasons: readonly string[]): string {
  const first = reasons.slice(0, maxReasons).map((reason) => encodeURIComponent(shorten(reason)));
  return [reasons.length, ...first].join(' ');
}

/** Half a character cannot be encoded. */
function shorten(reason: string): string {
  return reason.slice(0, maxReasonLength).replace(/\p{Surrogate}/gu, '�');
}

/** Returns null if there is no header. */
export function parseSkippedEntries(header: string | null): SkippedEntries | null {
  if (header === null) return null;
  const [count, ...reasons] = header.split(' ');
  return { count: Number(count), reasons: reasons.map(decodeURIComponent) };
}
