import { describe, expect, it } from 'vitest';
import { LogBuffer } from './log-buffer.ts';
import type { LogRow } from './log-chunk.ts';
import type { DownloadFormat } from './log-download.ts';
import type { LogQuery } from './log-query.ts';
import { LogSearch, type SearchAnswer } from './log-search.ts';

const line = (key: string, value: string, millis = Date.UTC(2026, 10, 3, 14, 3, 22, 123)): LogRow => ({
  millis,
  key,
  value,
});
const find = (text: string, mode: LogQuery['mode'] = 'highlight'): LogQuery => ({
  levels: null,
  pattern: { text, isRegExp: false, matchCase: false },
  mode,
});

/** A search whose later work waits until `settle` is called. */
function createSearch() {
  const buffer = new LogBuffer();
  const answers: SearchAnswer[] = [];
  const waiting: (() => void)[] = [];
  const search = new LogSearch(
    (answer) => answers.push(answer),
    (work) => waiting.push(work),
  );
  return {
    search,
    feed(...rows: LogRow[]) {
      for (const chunk of buffer.append(rows)) search.take({ type: 'chunk', chunk });
    },
    /** What was judged for a generation, all answers together. */
    judged(generation: number) {
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) work();
      const all = answers.filter((answer) => answer.type === 'judged' && answer.generation === generation);
      return {
        kept: all.flatMap((answer) => (answer.type === 'judged' ? [...answer.kept] : [])),
        matches: all.flatMap((answer) => (answer.type === 'judged' ? [...answer.matches] : [])),
      };
    },
    async download(query: LogQuery | null, format: DownloadFormat, from = 0) {
      search.take({ type: 'download', id: 7, what: { query, from, format, timestamps: 'utc' } });
      const made = answers.findLast((answer) => answer.type === 'download');
      return made?.type === 'download' ? made.blob.text() : null;
    },
  };
}

describe('the search beside the page', () => {
  it('judges what is there and what comes later', () => {
    const { search, feed, judged } = createSearch();
    feed(line('INFO', 'one'), line('INFO', 'two'));
    search.take({ type: 'query', generation: 1, query: find('o', 'filter'), from: 0 });
    feed(line('INFO', 'three'), line('INFO', 'four'));
    expect(judged(1)).toEqual({ kept: [0, 2, 3, 4], matches: [0, 1, 3] });
  });

  it('begins where it is told to, and goes on behind lines that were dropped', () => {
    const { search, feed, judged } = createSearch();
    feed(line('INFO', 'one'), line('INFO', 'one'), line('INFO', 'one'));
    search.take({ type: 'drop', before: 1 });
    search.take({ type: 'query', generation: 1, query: find('one'), from: 2 });
    expect(judged(1).matches).toEqual([2]);
  });

  it('keeps the earlier lines of a trace of which a later line matches', () => {
    const { search, feed, judged } = createSearch();
    search.take({ type: 'query', generation: 1, query: find('timeout', 'filter'), from: 0 });
    feed(line('INFO', 'quiet'), line('Runtime Error', 'no row'), line('SEVERE', '\tat Clinic.close'));
    feed(line('SEVERE', 'Caused by: timeout'), line('INFO', 'quiet again'));
    expect(judged(1)).toEqual({ kept: [1, 4], matches: [3] });
  });

  it('answers a newer query only, and none after it was stopped', () => {
    const { search, feed, judged } = createSearch();
    feed(line('INFO', 'one'));
    search.take({ type: 'query', generation: 1, query: find('one'), from: 0 });
    search.take({ type: 'query', generation: 2, query: find('two'), from: 0 });
    feed(line('INFO', 'one two'));
    search.take({ type: 'query', generation: 3, query: null, from: 0 });
    feed(line('INFO', 'one two'));
    expect(judged(1).matches).toEqual([0]);
    expect(judged(2).matches).toEqual([1]);
    expect(judged(3).matches).toEqual([]);
  });
});

describe('a downloaded log', () => {
  const gap = { millis: Date.UTC(2026, 10, 3, 14, 3, 23), marker: 'gap', value: 'gap: 3 lines.' } as const;
  const records = [
    line('INFO', 'started'),
    line('java.lang.NullPointerException', 'no district\n\tat Clinic.close'),
    line('SEVERE', 'Caused by: timeout'),
  ];

  it('is text as it is seen, traces as they are', async () => {
    const { feed, download } = createSearch();
    feed(...records, gap);
    expect(await download(null, 'text')).toBe(
      [
        '2026-11-03 14:03:22.123Z INFO    started',
        '2026-11-03 14:03:22.123Z ERROR   java.lang.NullPointerException: no district',
        '\tat Clinic.close',
        'Caused by: timeout',
        '2026-11-03 14:03:23.000Z --      gap: 3 lines.',
        '',
      ].join('\n'),
    );
  });

  it('is NDJSON with each record as the platform sent it', async () => {
    const { feed, download } = createSearch();
    feed(...records, gap);
    const lines = (await download(null, 'ndjson'))
      ?.trim()
      .split('\n')
      .map((json) => JSON.parse(json));
    expect(lines).toEqual([...records, { millis: gap.millis, marker: 'gap: 3 lines.' }]);
  });

  it('has what is shown only, from the mark on', async () => {
    const { feed, download } = createSearch();
    feed(line('INFO', 'timeout of yesterday'), ...records, gap);
    const text = await download(find('timeout', 'filter'), 'text', 1);
    expect(text).not.toContain('started');
    expect(text).not.toContain('yesterday');
    expect(text).toContain('no district\n\tat Clinic.close\nCaused by: timeout\n');
    expect(text).toContain('gap: 3 lines.');
  });
});
