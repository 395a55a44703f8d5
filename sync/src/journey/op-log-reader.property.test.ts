import type { JourneyOpLogEntry } from '@portal/platforms/journey/wire';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { selectNewEntries } from './op-log-reader.ts';

/**
 * Numbers around the points where their length changes and where they exceed the range of a number.
 */
const first = fc.constantFrom(1n, 8n, 95n, 9_007_199_254_740_985n, 2n ** 63n - 300n);
const logs = fc
  .record({ first, steps: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 60 }) })
  .map(({ first: from, steps }) => {
    const sequences: string[] = [];
    for (const [index, step] of steps.entries()) {
      const last = sequences.at(-1);
      sequences.push(String(index === 0 || last === undefined ? from : BigInt(last) + BigInt(step)));
    }
    return sequences;
  });

function entry(sequence: string): JourneyOpLogEntry {
  const object = { id: sequence, type: 'thing', updated_at: null };
  return { sequence, operation: 'update', object };
}

function page(sequences: readonly string[], hasMore: boolean) {
  return { entries: sequences.map(entry), hasMore, nextStart: '1', datamodelHash: 'h' };
}

it('reads a log completely, once and in order, even when its pages start too early, repeat or are unordered', () => {
  const disturbance = fc.array(
    fc.record({ early: fc.nat({ max: 12 }), doubled: fc.boolean(), order: fc.constantFrom('as is', 'reversed') }),
    { minLength: 1, maxLength: 10 },
  );
  fc.assert(
    fc.property(logs, disturbance, fc.integer({ min: 1, max: 20 }), (log, disturbances, limit) => {
      const read: string[] = [];
      // The log had no entry at this number when it was last read.
      const start = String(BigInt(log[0] ?? '1') - 1n);
      let cursor = start;
      for (let turn = 0; ; turn += 1) {
        const { early = 0, doubled = false, order = 'as is' } = disturbances[turn % disturbances.length] ?? {};
        const from = Math.max(0, log.indexOf(cursor) - early);
        const entries = log.slice(from, from + early + limit + 1);
        const shown = doubled ? [...entries, ...entries] : entries;
        const hasMore = from + entries.length < log.length;
        const shownPage = page(order === 'reversed' ? shown.toReversed() : shown, hasMore);
        const fresh = selectNewEntries(shownPage, { cursor, isStart: cursor === start }, limit);
        expect(fresh.historyLost).toBe(false);
        expect(fresh.entries.length).toBeLessThanOrEqual(limit);
        read.push(...fresh.entries.map(({ sequence }) => sequence));
        cursor = fresh.cursor;
        if (fresh.isLast) break;
      }
      expect(read).toEqual(log);
      expect(cursor).toBe(log.at(-1));
    }),
  );
});

it('takes no entry from a page without the entry at the cursor', () => {
  fc.assert(
    fc.property(logs, fc.nat(), fc.boolean(), (log, at, hasMore) => {
      const cursor = log[at % log.length] ?? '';
      const without = page(
        log.filter((sequence) => sequence !== cursor),
        hasMore,
      );
      const selected = selectNewEntries(without, { cursor, isStart: false }, 1000);
      expect(selected).toMatchObject({ historyLost: true, entries: [], cursor });
    }),
  );
});

it('continues after a number without an entry only with the next number', () => {
  const start = { cursor: '4', isStart: true };
  expect(selectNewEntries(page([], false), start, 1000)).toMatchObject({ historyLost: false, cursor: '4' });
  expect(selectNewEntries(page(['5', '6'], false), start, 1000)).toMatchObject({ historyLost: false, cursor: '6' });
  expect(selectNewEntries(page(['6'], false), start, 1000)).toMatchObject({ historyLost: true, entries: [] });
});
