/** Who wins when both sides change the same value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fields } from './fields.ts';
import { type ConflictPolicy, mergeIntoHelium, unchanged } from './merge.ts';
import type { Intent } from './record-state.ts';
import { TwoStores } from './two-stores.fixture.ts';

const seed = Number(process.env.SEED ?? 20_261_121);

const actions = [
  'helium',
  'journey a',
  'journey b',
  'prepare',
  'arrive',
  'acknowledge',
  'crash',
  'arrive late',
  'read 1',
  'read all',
  'tick',
] as const;

type Action = (typeof actions)[number];

/** Never writes a value twice, so that each has one time and one author. */
class TimedEdits {
  readonly stores = new TwoStores('later');
  /** When each value of column a was written, in which order, and by whom. */
  readonly written = new Map<unknown, { readonly atMs: number; readonly by: 'helium' | 'journey' }>();
  #value = 0;

  edit(by: 'helium' | 'journey', column: 'a' | 'b'): void {
    this.#value += 1;
    if (column === 'a') this.written.set(this.#value, { atMs: this.stores.nowMs, by });
    const change: Fields = { [column]: this.#value };
    if (by === 'helium') this.stores.editHelium('x', change);
    else this.stores.editJourney('x', change);
  }

  play(action: Action): void {
    const { stores } = this;
    if (action === 'helium') this.edit('helium', 'a');
    else if (action === 'journey a') this.edit('journey', 'a');
    else if (action === 'journey b') this.edit('journey', 'b');
    else if (action === 'prepare') stores.prepare();
    else if (action === 'arrive') stores.arrive();
    else if (action === 'acknowledge') stores.acknowledge();
    else if (action === 'crash') stores.crash();
    else if (action === 'arrive late') stores.arriveLate();
    else if (action === 'read 1') stores.read(1);
    else if (action === 'read all') stores.read(Number.POSITIVE_INFINITY);
    else stores.tick();
  }
}

/**
 * Plays that were decided wrongly: a late copy of our write replaces a value before Journey's next
 * edit.
 */
const found: readonly (readonly Action[])[] = [
  // It replaces a value of Journey that Helium has already.
  ['helium', 'prepare', 'crash', 'read all', 'prepare', 'arrive late', 'journey a', 'arrive', 'journey a'],
  // It replaces a later value of Helium, whose time is that of the replaced one.
  [
    'helium',
    'prepare',
    'crash',
    'read 1',
    'helium',
    'prepare',
    'arrive',
    'tick',
    'journey b',
    'arrive late',
    'journey a',
  ],
];

test('lets the later write of a field win, whatever else is written and sent in between', () => {
  let decided = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...actions), { maxLength: 60, size: 'max' }), (played) => {
      const edits = new TimedEdits();
      edits.edit('helium', 'a');
      edits.stores.rest();
      edits.stores.onConflict = (_, { column, helium, journey, winner }) => {
        const [ours, theirs] = [edits.written.get(helium), edits.written.get(journey)];
        if (column !== 'a' || !ours || theirs?.by !== 'journey') return;
        decided += 1;
        // Journey's own value, which was written to the row, is no edit of Helium. It only stays
        // where a late copy of our write brings an earlier one back.
        const isHeliumLater = ours.by === 'helium' ? ours.atMs >= theirs.atMs : Number(helium) > Number(journey);
        expect(winner).toBe(isHeliumLater ? 'helium' : 'journey');
      };
      for (const action of played) edits.play(action);
      edits.stores.rest();
    }),
    { seed, numRuns: 3000, examples: found.map((play) => [[...play]]) },
  );
  expect(decided).toBeGreaterThan(1000);
});

const value = fc.constantFrom(null, 1, 2, 3);
const fields = fc.record({ a: value, b: value });
const intent: fc.Arbitrary<Intent> = fc.record({
  number: fc.nat(),
  method: fc.constantFrom('put' as const, 'patch' as const),
  fields,
  stage: fc.constantFrom('sent' as const, 'acknowledged' as const, 'superseded' as const),
  row: fc.constant(null),
});

test('lets no deletion that is only supposed win against an edit, with any policy', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ConflictPolicy>('later', 'helium', 'journey'),
      fc.record({ base: fc.option(fields), expected: fc.option(fields), pending: fc.array(intent, { maxLength: 2 }) }),
      fields,
      fc.integer(),
      (policy, known, row, atMs) => {
        const edit = {
          ...known,
          after: null,
          changedAtMs: null,
          isListed: true,
          deletedAtMs: null,
          isMissingUnlogged: false,
        };
        const { write, conflicts } = mergeIntoHelium(edit, { fields: row, getWrittenAtMs: () => atMs }, policy);
        const isEdited = known.expected === null || row.a !== known.expected.a || row.b !== known.expected.b;
        if (isEdited) expect(write).not.toBeNull();
        if (write !== null) expect(conflicts).toMatchObject([{ column: null, helium: row, winner: 'helium' }]);
      },
    ),
    { seed, numRuns: 2000 },
  );
});

test('lets a listed object live, whatever is known of a deletion', () => {
  fc.assert(
    fc.property(fields, fc.integer(), fc.integer(), (after, changedAtMs, deletedAtMs) => {
      const known = { base: null, expected: null, pending: [], isMissingUnlogged: false };
      const edit = { ...known, after, changedAtMs, isListed: true, deletedAtMs };
      expect(mergeIntoHelium(edit, null, 'later').write).toEqual(after);
    }),
  );
});

test('lets an edit live whose row is missing although no log names its deletion, with any policy', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ConflictPolicy>('later', 'helium', 'journey'),
      fields,
      fields,
      fc.integer(),
      (policy, base, after, changedAtMs) => {
        const known = { base, expected: base, pending: [], isListed: false, deletedAtMs: null };
        const edit = { ...known, after, changedAtMs, isMissingUnlogged: true };
        const { write, conflicts } = mergeIntoHelium(edit, null, policy);
        // What is only repeated is no edit.
        const isEdited = after.a !== base.a || after.b !== base.b;
        expect(write).toEqual(isEdited ? after : unchanged);
        expect(conflicts).toEqual(isEdited ? [{ column: null, helium: null, journey: after, winner: 'journey' }] : []);
      },
    ),
  );
});
