import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildChunk,
  getLineCount,
  getRowCount,
  getRowKey,
  getRowValue,
  getText,
  joinChunks,
  type LogRow,
} from '../text/log-chunk.ts';
import { withPlainBreaks } from '../text/log-format.ts';
import { rowArbitrary } from '../text/log-rows.fixture.ts';
import { LogBuffer } from './log-buffer.ts';

const batches = fc.array(fc.array(rowArbitrary, { maxLength: 400 }), { maxLength: 12 });
const isRecord = (row: LogRow) => !('marker' in row);

/** Returns the rows of the buffer from a row number on, in the form they were added. */
function rowsFrom(buffer: LogBuffer, from: number): { key: string; value: string }[] {
  return buffer.chunks.flatMap((chunk) =>
    Array.from({ length: getRowCount(chunk) }, (_, index) => index)
      .filter((index) => chunk.first + index >= from)
      .map((index) => ({ key: getRowKey(chunk, index), value: getRowValue(chunk, index) })),
  );
}

function plain(rows: readonly LogRow[]) {
  return rows.map((row) => ({ key: 'marker' in row ? '' : row.key, value: withPlainBreaks(row.value) }));
}

describe('log buffer', () => {
  it('returns all rows in the order they were added', () => {
    fc.assert(
      fc.property(batches, (all) => {
        const buffer = new LogBuffer();
        for (const rows of all) buffer.append(rows);
        expect(rowsFrom(buffer, 0)).toEqual(plain(all.flat()));
        expect(buffer.next).toBe(all.flat().length);
      }),
    );
  });

  it('counts every record as visible, cleared or dropped', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.array(rowArbitrary, { minLength: 1, maxLength: 300 }) },
      { weight: 1, arbitrary: fc.constantFrom('clear', 'undo') },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const limits = { rows: 700, bytes: 30_000 };
        const buffer = new LogBuffer(limits);
        let received = 0;
        for (const rows of steps) {
          if (rows === 'clear') buffer.clear();
          else if (rows === 'undo') buffer.undoClear();
          else {
            buffer.append(rows);
            received += rows.filter(isRecord).length;
          }
          buffer.trim();
          expect(buffer.visible.records + buffer.clearedRecords + buffer.droppedRecords).toBe(received);
          expect(buffer.next - buffer.oldest).toBeLessThanOrEqual(limits.rows * 1.05);
          expect(buffer.bytes).toBe(buffer.chunks.reduce((sum, chunk) => sum + chunk.bytes, 0));
          expect(buffer.bytes).toBeLessThanOrEqual(limits.bytes * 1.05);
        }
        const visible = buffer.chunks.filter((chunk) => chunk.first >= buffer.visibleFrom);
        const counted = new LogBuffer();
        for (const chunk of visible) counted.push(chunk);
        expect(buffer.visible).toEqual(counted.visible);
      }),
    );
  });

  it('trims a full buffer to no less than its limit minus one chunk', () => {
    const buffer = new LogBuffer({ rows: 10_000, bytes: 1e9 });
    for (let batch = 0; batch < 30; batch += 1) {
      buffer.append(Array.from({ length: 500 }, (_, index) => ({ millis: index, key: 'INFO', value: 'a line' })));
      if (buffer.trim()) expect(buffer.visible.records).toBeGreaterThanOrEqual(9_500);
    }
    expect(buffer.droppedRecords).toBeGreaterThan(0);
  });

  it('undoes clears one at a time', () => {
    const line = (value: string): LogRow => ({ millis: 1, key: 'INFO', value });
    const buffer = new LogBuffer();
    buffer.append([line('one')]);
    buffer.clear();
    buffer.append([line('two')]);
    buffer.clear();
    buffer.append([line('three')]);
    expect(rowsFrom(buffer, buffer.visibleFrom).map((row) => row.value)).toEqual(['three']);
    buffer.undoClear();
    expect(rowsFrom(buffer, buffer.visibleFrom).map((row) => row.value)).toEqual(['two', 'three']);
    buffer.undoClear();
    expect(buffer.visible.records).toBe(3);
    expect(buffer.canUndoClear).toBe(false);
  });

  it('stores a million short lines with little overhead per line', () => {
    const buffer = new LogBuffer();
    const value = 'Visit 1234 of patient 5678 at clinic Mbare was closed by the nightly job after 12 ms';
    const rows = Array.from({ length: 500 }, (_, index) => ({ millis: index, key: 'INFO', value }));
    for (let batch = 0; batch < 2000; batch += 1) buffer.append(rows);
    expect(buffer.visible.records).toBe(1_000_000);
    expect(buffer.bytes).toBeLessThan(1_000_000 * (value.length + 21));
    expect(buffer.droppedRecords).toBe(0);
  });
});

describe('joined log chunks', () => {
  it('equal one chunk built from all rows', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary, { minLength: 1 }), fc.array(rowArbitrary, { minLength: 1 }), (left, right) => {
        const first = new LogBuffer();
        first.append(left);
        first.append(right);
        const whole = buildChunk(0, [...left, ...right], null);
        const joined = first.chunks[0];
        expect(joined?.text).toBe(whole.text);
        expect(joined?.ends).toEqual(whole.ends);
        expect(joined?.lines).toEqual(whole.lines);
        expect(joined?.kinds).toEqual(whole.kinds);
      }),
    );
  });

  it('count the lines of their text', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary, { minLength: 1 }), fc.array(rowArbitrary, { minLength: 1 }), (left, right) => {
        const one = buildChunk(0, left, null);
        const both = joinChunks(one, buildChunk(left.length, right, null));
        expect(getLineCount(both)).toBe(both.text.split('\n').length);
        expect(getText(both, 0, getRowCount(both))).toBe(both.text);
      }),
    );
  });
});
