import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fields } from './fields.ts';
import { TwoStores } from './two-stores.fixture.ts';

/** The ordinary run plays the same plays each time; `npm run soak` plays others. */
const seed = Number(process.env.SEED ?? 20_261_121);

const arbitraryId = fc.constantFrom('x', 'y');
const value = fc.constantFrom(1, 2, 3, null);

type Side = 'helium' | 'journey';
type Act = (stores: TwoStores) => void;
interface Named {
  readonly name: string;
  readonly act: Act;
}

/** Failures show the names alone. */
const named = (name: string, act: Act): Named => ({ name, act, [fc.toStringMethod]: () => name }) as Named;

/** What the engine and the network do between any two edits. */
const steps: fc.Arbitrary<Named> = fc.oneof(
  fc.constantFrom(
    named('prepare', (stores) => stores.prepare()),
    named('arrive', (stores) => stores.arrive()),
    named('acknowledge', (stores) => stores.acknowledge()),
    named('crash', (stores) => stores.crash()),
    named('arrive late', (stores) => stores.arriveLate()),
    named('tick', (stores) => stores.tick()),
  ),
  fc.integer({ min: 1, max: 4 }).map((count) => named(`read ${count}`, (stores) => stores.read(count))),
);

function edits(side: Side, change: fc.Arbitrary<Fields | null>): fc.Arbitrary<Named> {
  return fc
    .record({ id: arbitraryId, change })
    .map(({ id, change }) =>
      named(`${side} ${id} ${JSON.stringify(change)}`, (stores) =>
        side === 'helium' ? stores.editHelium(id, change) : stores.editJourney(id, change),
      ),
    );
}

const anyChange = fc.oneof(
  { weight: 1, arbitrary: fc.record({ a: value, b: value }) },
  { weight: 3, arbitrary: value.map((a) => ({ a })) },
  { weight: 3, arbitrary: value.map((b) => ({ b })) },
  { weight: 1, arbitrary: fc.constant(null) },
);

const plays = (...acts: fc.Arbitrary<Named>[]) => fc.array(fc.oneof(steps, ...acts), { maxLength: 40, size: 'max' });

function play(stores: TwoStores, acts: readonly Named[]): void {
  for (const { act } of acts) act(stores);
  stores.rest();
}

function contents(store: ReadonlyMap<string, Fields | { fields: Fields }>): unknown {
  return Object.fromEntries(
    [...store].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, kept]) => [id, 'fields' in kept ? kept.fields : kept]),
  );
}

test.each(['later', 'helium', 'journey'] as const)('whatever happens, both sides are equal at rest (%s)', (policy) => {
  fc.assert(
    fc.property(plays(edits('helium', anyChange), edits('journey', anyChange)), (acts) => {
      const stores = new TwoStores(policy);
      play(stores, acts);
      expect(contents(stores.helium)).toEqual(contents(stores.journey));
    }),
    { seed, numRuns: 3000 },
  );
});

test('at rest nothing is written any more', () => {
  fc.assert(
    fc.property(plays(edits('helium', anyChange), edits('journey', anyChange)), (acts) => {
      const stores = new TwoStores('later');
      play(stores, acts);
      const { writes } = stores;
      stores.rest();
      expect(stores.writes).toBe(writes);
    }),
    { seed, numRuns: 1000 },
  );
});

test('no edit is lost where each side edits fields of its own: they merge, without a conflict', () => {
  const ofA = value.map((a) => ({ a }));
  const ofB = value.map((b) => ({ b }));
  fc.assert(
    fc.property(plays(edits('helium', ofA), edits('journey', ofB)), (acts) => {
      const stores = new TwoStores('later');
      stores.editHelium('x', { a: 0 });
      stores.editHelium('y', { a: 0 });
      stores.rest();
      const last = { x: { a: 0, b: null }, y: { a: 0, b: null } };
      for (const { name } of acts) {
        const [, id, change] = name.match(/^(?:helium|journey) ([xy]) (.*)$/) ?? [];
        if (id === 'x' || id === 'y') Object.assign(last[id], JSON.parse(change ?? ''));
      }
      play(stores, acts);
      expect(contents(stores.helium)).toEqual(last);
      expect(contents(stores.journey)).toEqual(last);
      expect(stores.conflicts).toEqual([]);
    }),
    { seed, numRuns: 3000 },
  );
});

/**
 * Each side edits a field of its own, of records that are made within the play, and gives it a
 * value that was never there before: an edit that says what a lost call of ours would have said is
 * taken for that call.
 */
class Making extends TwoStores {
  readonly last = new Map<string, Fields>();
  /** Whether a call that was given up has landed all the same. */
  hasLate = false;
  readonly #makers: Readonly<Record<string, readonly Side[]>>;
  #value = 0;

  /** @param makers by id, which sides make it; any other edits it once it has come */
  constructor(makers: Readonly<Record<string, readonly Side[]>>) {
    super('later');
    this.#makers = makers;
  }

  override editHelium(id: string): void {
    if (this.helium.has(id) || this.#makers[id]?.includes('helium')) super.editHelium(id, this.#change(id, 'a'));
  }

  override editJourney(id: string): void {
    if (this.journey.has(id) || this.#makers[id]?.includes('journey')) super.editJourney(id, this.#change(id, 'b'));
  }

  override arriveLate(): void {
    const { writes } = this;
    super.arriveLate();
    this.hasLate ||= this.writes > writes;
  }

  #change(id: string, field: 'a' | 'b'): Fields {
    this.#value += 1;
    const change = { [field]: this.#value };
    this.last.set(id, { a: null, b: null, ...this.last.get(id), ...change });
    return change;
  }
}

const something = fc.constant({});
/** No edit is undone without a word: what has lost is in the conflicts. */
function expectToldWhatIsLost({ last, helium, conflicts }: Making): void {
  for (const [id, { a, b }] of last) {
    const row = helium.get(id)?.fields;
    if (row?.a !== a) expect(conflicts).toContainEqual(expect.objectContaining({ column: 'a', helium: a }));
    if (row?.b !== b) expect(conflicts).toContainEqual(expect.objectContaining({ column: 'b', journey: b }));
  }
}

test('what either side makes within the play, and both edit as soon as they have it, loses no edit', () => {
  fc.assert(
    fc.property(plays(edits('helium', something), edits('journey', something)), (acts) => {
      const stores = new Making({ x: ['helium'], y: ['journey'] });
      play(stores, acts);
      expect(contents(stores.helium)).toEqual(contents(stores.journey));
      if (stores.hasLate) return expectToldWhatIsLost(stores);
      expect(contents(stores.helium)).toEqual(contents(stores.last));
      expect(stores.conflicts).toEqual([]);
      // Not for a moment: a put sent twice would, and what the op-log tells of it would mend that.
      expect(stores.rewritten.filter(({ before, after }) => after?.b !== before.b)).toEqual([]);
    }),
    { seed, numRuns: 3000 },
  );
});

test('what both sides make under one id merges; our put over theirs may undo an edit, which is told', () => {
  fc.assert(
    fc.property(plays(edits('helium', something), edits('journey', something)), (acts) => {
      const stores = new Making({ x: ['helium', 'journey'], y: ['helium', 'journey'] });
      play(stores, acts);
      expect(contents(stores.helium)).toEqual(contents(stores.journey));
      expectToldWhatIsLost(stores);
    }),
    { seed, numRuns: 3000 },
  );
});

test.each(['before', 'after'])(
  'made on both sides at once, each with a field of its own: both stay (%s ours lands)',
  (when) => {
    const stores = new TwoStores('later');
    stores.editHelium('x', { a: 1 });
    if (when === 'after') stores.prepare();
    stores.editJourney('x', { b: 2 });
    stores.rest();
    expect(contents(stores.helium)).toEqual({ x: { a: 1, b: 2 } });
    expect(contents(stores.journey)).toEqual({ x: { a: 1, b: 2 } });
    expect(stores.conflicts).toEqual([]);
  },
);

test('what only one side edits arrives as it was last, deletions too', () => {
  for (const side of ['helium', 'journey'] as const) {
    fc.assert(
      fc.property(plays(edits(side, anyChange)), (acts) => {
        const stores = new TwoStores('later');
        const alone = new TwoStores('later');
        for (const { name, act } of acts) if (name.startsWith(side)) act(alone);
        play(stores, acts);
        const truth = contents(side === 'helium' ? alone.helium : alone.journey);
        expect(contents(stores.helium)).toEqual(truth);
        expect(contents(stores.journey)).toEqual(truth);
        // A call that was given up and lands after its successor may be told as a conflict; its
        // value still loses.
        if (!acts.some(({ name }) => name === 'arrive late')) expect(stores.conflicts).toEqual([]);
      }),
      { seed, numRuns: 2000 },
    );
  }
});
