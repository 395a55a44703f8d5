import { describe, expect, it } from 'vitest';
import { readWholeList } from './read-whole-list.ts';

interface Entry {
  readonly id: string;
}
interface Page {
  readonly ids: string;
  readonly total?: number;
  readonly more?: boolean | null;
}

/** Reads these pages, one after another; a page is written as 'abc'. */
function read(pages: readonly Page[], onPage?: (entries: Map<string, Entry>) => Promise<void>) {
  const left = [...pages];
  const readPage = async () => {
    const { ids, total = null, more = false } = left.shift() ?? { ids: '' };
    return { objects: [...ids].map((id) => ({ id })), total, more };
  };
  return readWholeList<Entry>('list of users', readPage, ({ id }) => id, { pageSize: 3, onPage });
}
const readIds = async (pages: readonly Page[]) => [...(await read(pages)).keys()].join('');
const thrice = (...pages: readonly Page[]) => [...pages, ...pages, ...pages];

describe('readWholeList', () => {
  it('returns a list of which total, entries and end agree', async () => {
    expect(await readIds([{ ids: '', total: 0 }])).toBe('');
    expect(await readIds([{ ids: 'ab', total: 2 }])).toBe('ab');
    expect(
      await readIds([
        { ids: 'abc', total: 5, more: true },
        { ids: 'cde', total: 5 },
      ]),
    ).toBe('abcde');
  });

  it.each<[string, readonly Page[]]>([
    ['has fewer entries than its total', [{ ids: 'a', total: 4 }]],
    ['has more entries than its total', [{ ids: 'abc', total: 2 }]],
    ['is empty and has a total', [{ ids: '', total: 4 }]],
    ['is empty and announces more', [{ ids: '', total: 4, more: true }]],
    [
      'announces more than its total',
      [
        { ids: 'ab', total: 2, more: true },
        { ids: 'b', total: 2 },
      ],
    ],
    ['has an entry twice', [{ ids: 'abb', total: 3 }]],
    [
      'repeats a page',
      [
        { ids: 'a', total: 4, more: true },
        { ids: 'a', total: 4, more: true },
      ],
    ],
    [
      'has two totals',
      [
        { ids: 'abc', total: 5, more: true },
        { ids: 'cde', total: 6 },
      ],
    ],
    [
      'moves while it is read',
      [
        { ids: 'abc', total: 5, more: true },
        { ids: 'de', total: 5 },
      ],
    ],
  ])('throws when a list %s', async (_, pages) => {
    await expect(read(thrice(...pages))).rejects.toThrow("Journey's list of users is not whole: it");
  });

  it('reads a list without a total until two readings in a row are equal', async () => {
    expect(await readIds([{ ids: 'ab' }, { ids: 'ab' }])).toBe('ab');
    expect(await readIds([{ ids: 'a' }, { ids: 'ab' }, { ids: 'ab' }])).toBe('ab');
    await expect(read([{ ids: 'a' }, { ids: 'ab' }, { ids: 'a' }])).rejects.toThrow('differs each time it is read');
  });

  it('reads a list that does not report whether there is more by its total, or until a page is not full', async () => {
    expect(
      await readIds([
        { ids: 'abc', total: 4, more: null },
        { ids: 'cd', total: 4, more: null },
      ]),
    ).toBe('abcd');
    const pages = [
      { ids: 'abc', more: null },
      { ids: 'c', more: null },
    ];
    expect(await readIds([...pages, ...pages])).toBe('abc');
  });

  it('starts again when a list changes while it is read', async () => {
    const pages = [
      { ids: 'abc', total: 5, more: true },
      { ids: 'def', total: 5 },
      { ids: 'abc', total: 5, more: true },
      { ids: 'cde', total: 5 },
    ];
    expect(await readIds(pages)).toBe('abcde');
  });
});
