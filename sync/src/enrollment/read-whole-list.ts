/**
 * Reads a list of Journey in pages, and accepts it only if it is whole: whatever is missing in it
 * is taken away in Helium.
 */
import { Unreachable } from '@portal/kit/problems';
import { journeyPageMax } from '@portal/platforms/journey/wire';

const maxAttempts = 3;

interface Entry {
  readonly id: string;
}

interface ListPage<E extends Entry> {
  readonly objects: readonly E[];
  /** The number of entries of the whole list; null when Journey does not report it. */
  readonly total: number | null;
  /** Whether there are more; null when Journey does not report it. */
  readonly more: boolean | null;
  /** How many entries cannot be read. */
  readonly unreadable?: number;
}

export interface ReadOptions<E extends Entry> {
  /** At least 2. */
  readonly pageSize?: number | undefined;
  /** Called after each page with all entries read so far, which it may replace. */
  readonly onPage?: ((entries: Map<string, E>) => Promise<void>) | undefined;
}

/** What has to be equal in two readings of a list that reports no total. */
type Identify<E> = (entry: E) => unknown;

/**
 * Returns the entries by lower-case id. All pages must report the same total, as many distinct
 * entries must be read, and `more` must agree with both. Without totals, two readings in a row must
 * be equal.
 *
 * Pages are cut by count, so an entry that is deleted during reading moves later ones forward, and
 * one of them would be missed. Each page therefore starts with the last entry of the previous page.
 *
 * The list is read up to three times. Throws Unreachable with the reason if none is whole.
 *
 * @param name for people: 'list of users'
 */
export async function readWholeList<E extends Entry>(
  name: string,
  readPage: (page: { readonly limit: number; readonly skip: number }) => Promise<ListPage<E>>,
  identify: Identify<E>,
  options: ReadOptions<E> = {},
): Promise<Map<string, E>> {
  let previous: string | undefined;
  let problem = '';
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const list = await readPages(readPage, options);
    if ('problem' in list) {
      ({ problem } = list);
      previous = undefined;
      continue;
    }
    if (list.hasTotal) return list.entries;
    const content = JSON.stringify([...list.entries.values()].map(identify));
    if (content === previous) return list.entries;
    problem = 'it reports no total and differs each time it is read';
    previous = content;
  }
  throw new Unreachable(`Journey's ${name} is not whole: ${problem}. Nothing was changed; it is read again soon.`);
}

type Reading<E> =
  | { readonly entries: Map<string, E>; readonly hasTotal: boolean }
  /** Why it is not whole. */
  | { readonly problem: string };

async function readPages<E extends Entry>(
  readPage: (page: { readonly limit: number; readonly skip: number }) => Promise<ListPage<E>>,
  { pageSize = journeyPageMax, onPage }: ReadOptions<E>,
): Promise<Reading<E>> {
  const entries = new Map<string, E>();
  let last: string | undefined;
  let total: number | null | undefined;
  for (let skip = 0; ; ) {
    const page = await readPage({ limit: pageSize, skip });
    const { objects, unreadable = 0 } = page;
    if (unreadable > 0) return { problem: `it has ${unreadable} that cannot be read` };
    const more = page.more ?? isFollowed(page, { limit: pageSize, skip });
    if (total !== undefined && page.total !== total) return { problem: 'its total changed while it was read' };
    if (last !== undefined && objects[0]?.id !== last) return { problem: 'it changed while it was read' };
    total = page.total;
    const before = entries.size;
    for (const entry of objects) entries.set(entry.id.toLowerCase(), { ...entry, id: entry.id.toLowerCase() });
    await onPage?.(entries);
    const isPastEnd = total !== null && more && skip + objects.length >= total;
    if (more && (entries.size === before || isPastEnd))
      return { problem: `it announces more than ${entries.size} entries, but has none${ofTotal(total)}` };
    if (!more) break;
    last = objects.at(-1)?.id;
    skip += objects.length - 1;
  }
  if (total !== null && entries.size !== total) return { problem: `it has ${entries.size} entries${ofTotal(total)}` };
  return { entries, hasTotal: total !== null };
}

/** Whether more entries follow, as far as a page without `more` shows. */
function isFollowed(
  { objects, total }: ListPage<Entry>,
  { limit, skip }: { readonly limit: number; readonly skip: number },
): boolean {
  return total === null ? objects.length >= limit : skip + objects.length < total;
}

function ofTotal(total: number | null): string {
  return total === null ? '' : `, but reports a total of ${total}`;
}
