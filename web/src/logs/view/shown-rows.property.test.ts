import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MatchList } from '../search/match-list.ts';
import { LogBuffer } from '../stream/log-buffer.ts';
import { getNextRow, getRowCount, getText } from '../text/log-chunk.ts';
import { rowArbitrary } from '../text/log-rows.fixture.ts';
import { ShownRows } from './shown-rows.ts';

describe('shown rows', () => {
  it('maps lines to rows and back, even after the oldest rows were dropped', () => {
    const batches = fc.array(fc.array(fc.tuple(rowArbitrary, fc.boolean()), { minLength: 100, maxLength: 300 }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(batches, (all) => {
        const buffer = new LogBuffer({ rows: 500, bytes: 1e9 });
        const shown = new ShownRows(buffer);
        let view: string[] = [];
        for (const batch of all) {
          const [chunk] = buffer.append(batch.map(([row]) => row));
          if (chunk === undefined) continue;
          for (const [index, [, isShown]] of batch.entries()) {
            if (!isShown) continue;
            shown.push(chunk, index, index + 1);
            view.push(...getText(chunk, index, index + 1).split('\n'));
          }
          if (buffer.trim()) view = view.slice(shown.removeBefore(buffer.oldest));
        }
        expect(shown.lines).toBe(view.length);
        const oldest = buffer.oldest;
        const kept = all.flat().filter(([row, isShown], index) => index >= oldest && isShown && !('marker' in row));
        expect(shown.records).toBe(kept.length);
        for (const [line, text] of view.entries()) {
          const found = shown.getLine(line);
          const own = found && getText(found.chunk, found.index, found.index + 1).split('\n')[found.lineOfRow];
          expect(own).toBe(text);
          const row = (found?.chunk.first ?? 0) + (found?.index ?? 0);
          expect(shown.findLine(row)).toBe(line - (found?.lineOfRow ?? 0));
        }
        const from = Math.floor(view.length / 3);
        const iterated = [...shown.linesFrom(from)].map(({ chunk, index, lineOfRow }) => ({
          row: chunk.first + index,
          lineOfRow,
        }));
        const expected = view.slice(from).map((_, offset) => {
          const found = shown.getLine(from + offset);
          return { row: (found?.chunk.first ?? 0) + (found?.index ?? 0), lineOfRow: found?.lineOfRow };
        });
        expect(iterated).toEqual(expected);
        expect(shown.getLine(view.length)?.lineOfRow ?? null).toBe(null);
      }),
      { numRuns: 25 },
    );
  });

  it('returns the next shown line for a hidden row', () => {
    const buffer = new LogBuffer();
    const [chunk] = buffer.append(['a', 'b', 'c', 'd'].map((value) => ({ millis: 1, key: 'INFO', value })));
    if (chunk === undefined) throw new Error('no chunk');
    const shown = new ShownRows(buffer);
    shown.push(chunk, 0, 1);
    shown.push(chunk, 2, getRowCount(chunk));
    expect(shown.findLine(1)).toBe(1);
    expect(shown.findLine(getNextRow(chunk))).toBe(null);
  });
});

describe('search matches', () => {
  it('cycle and rank correctly after any additions and removals', () => {
    const rows = fc
      .uniqueArray(fc.nat(200), { minLength: 90, maxLength: 200 })
      .map((all) => all.sort((remaining, right) => remaining - right));
    fc.assert(
      fc.property(rows, fc.nat(220), fc.nat(220), fc.nat(90), (all, oldest, row, cut) => {
        const list = new MatchList();
        list.add(Float64Array.from(all.slice(0, cut)));
        list.removeBefore(Math.min(oldest, all[cut] ?? oldest));
        list.add(Float64Array.from(all.slice(cut)));
        list.removeBefore(oldest);
        const remaining = all.filter((one) => one >= oldest);
        expect(list.count).toBe(remaining.length);
        expect(list.findAfter(row)).toBe(remaining.find((one) => one > row) ?? remaining[0] ?? null);
        expect(list.findBefore(row)).toBe(remaining.findLast((one) => one < row) ?? remaining.at(-1) ?? null);
        expect(list.getRank(row)).toBe(remaining.includes(row) ? remaining.indexOf(row) + 1 : null);
      }),
    );
  });
});
