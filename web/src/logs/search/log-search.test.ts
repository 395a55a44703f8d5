import { describe, expect, it } from 'vitest';
import { LogBuffer } from '../stream/log-buffer.ts';
import type { LogRow } from '../text/log-chunk.ts';
import type { DownloadFormat } from '../text/log-download.ts';
import type { LogQuery } from './log-query.ts';
import { LogSearch, type SearchResponse } from './log-search.ts';

const line = (key: string, value: string, millis = Date.UTC(2026, 10, 3, 14, 3, 22, 123)): LogRow => ({
  millis,
  key,
  value,
});
const find = (text: string, mode: LogQuery['mode'] = 'highlight'): LogQuery => ({
  levels: null,
  pattern: { text, isRegExp: false, matchCase: false },
  field: null,
  mode,
});

/** A search whose scheduled work runs when `settle` is called. */
function createSearch() {
  const buffer = new LogBuffer();
  const responses: SearchResponse[] = [];
  const waiting: (() => void)[] = [];
  const search = new LogSearch(
    (response) => responses.push(response),
    (work) => waiting.push(work),
  );
  return {
    search,
    feed(...rows: LogRow[]) {
      for (const chunk of buffer.append(rows)) search.handle({ type: 'chunk', chunk });
    },
    /** The combined results of all responses for a generation. */
    getResult(generation: number) {
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) work();
      const all = responses.filter((response) => response.type === 'result' && response.generation === generation);
      return {
        kept: all.flatMap((response) => (response.type === 'result' ? [...response.keptRanges] : [])),
        matches: all.flatMap((response) => (response.type === 'result' ? [...response.matches] : [])),
      };
    },
    async download(query: LogQuery | null, format: DownloadFormat, from = 0) {
      search.handle({ type: 'download', id: 7, options: { query, from, format, timestamps: 'utc' } });
      const download = responses.findLast((response) => response.type === 'download');
      return download?.type === 'download' ? download.blob.text() : null;
    },
  };
}

describe('background log search', () => {
  it('searches existing lines and later ones', () => {
    const { search, feed, getResult } = createSearch();
    feed(line('INFO', 'one'), line('INFO', 'two'));
    search.handle({ type: 'query', generation: 1, query: find('o', 'filter'), from: 0 });
    feed(line('INFO', 'three'), line('INFO', 'four'));
    expect(getResult(1)).toEqual({ kept: [0, 2, 3, 4], matches: [0, 1, 3] });
  });

  it('starts at the requested row and continues after dropped lines', () => {
    const { search, feed, getResult } = createSearch();
    feed(line('INFO', 'one'), line('INFO', 'one'), line('INFO', 'one'));
    search.handle({ type: 'drop', before: 1 });
    search.handle({ type: 'query', generation: 1, query: find('one'), from: 2 });
    expect(getResult(1).matches).toEqual([2]);
  });

  it('keeps the earlier lines of a trace when a later line matches', () => {
    const { search, feed, getResult } = createSearch();
    search.handle({ type: 'query', generation: 1, query: find('timeout', 'filter'), from: 0 });
    feed(line('INFO', 'quiet'), line('Runtime Error', 'no row'), line('SEVERE', '\tat Clinic.close'));
    feed(line('SEVERE', 'Caused by: timeout'), line('INFO', 'quiet again'));
    expect(getResult(1)).toEqual({ kept: [1, 4], matches: [3] });
  });

  it('responds only to the latest query, and to none after it was stopped', () => {
    const { search, feed, getResult } = createSearch();
    feed(line('INFO', 'one'));
    search.handle({ type: 'query', generation: 1, query: find('one'), from: 0 });
    search.handle({ type: 'query', generation: 2, query: find('two'), from: 0 });
    feed(line('INFO', 'one two'));
    search.handle({ type: 'query', generation: 3, query: null, from: 0 });
    feed(line('INFO', 'one two'));
    expect(getResult(1).matches).toEqual([0]);
    expect(getResult(2).matches).toEqual([1]);
    expect(getResult(3).matches).toEqual([]);
  });
});

describe('log download', () => {
  const gap = { millis: Date.UTC(2026, 10, 3, 14, 3, 23), marker: 'gap', value: 'gap: 3 lines.' } as const;
  const records = [
    line('INFO', 'started'),
    line('java.lang.NullPointerException', 'no district\n\tat Clinic.close'),
    line('SEVERE', 'Caused by: timeout'),
  ];

  it('contains the text as shown, with unchanged traces', async () => {
    const { feed, download } = createSearch();
    feed(...records, gap);
    expect(await download(null, 'text')).toBe(
      [
        '2026-11-03 14:03:22.123Z INFO    started',
        '2026-11-03 14:03:22.123Z ERROR   java.lang.NullPointerException: no district',
        '\tat Clinic.close',
        'Caused by: timeout',
        '--      gap: 3 lines.',
        '',
      ].join('\n'),
    );
  });

  it('contains each record as the platform sent it in NDJSON', async () => {
    const { feed, download } = createSearch();
    feed(...records, gap);
    const lines = (await download(null, 'ndjson'))
      ?.trim()
      .split('\n')
      .map((json) => JSON.parse(json));
    expect(lines).toEqual([...records, { millis: gap.millis, marker: 'gap: 3 lines.' }]);
  });

  it('contains only the shown lines after the last clear', async () => {
    const { feed, download } = createSearch();
    feed(line('INFO', 'timeout of yesterday'), ...records, gap);
    const text = await download(find('timeout', 'filter'), 'text', 1);
    expect(text).not.toContain('started');
    expect(text).not.toContain('yesterday');
    expect(text).toContain('no district\n\tat Clinic.close\nCaused by: timeout\n');
    expect(text).toContain('gap: 3 lines.');
  });
});
