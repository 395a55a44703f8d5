import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fields } from './fields.ts';
import { TwoStores } from './two-stores.fixture.ts';

/** The ordinary run plays the same plays each time; `npm run soak` plays others. */
const seed = Number(process.env.SEED ?? 20_261_121);

const ID = fc.constantFrom('x', 'y');
const VALUE = fc.constantFrom(1, 2, 3, null);

type Act = (stores: TwoStores) => void;
interface Named {
  readonly name: string;
  readonly act: Act;
}

/** Failures show the names alone. */
const named = (name: string, act: Act): Named => ({ name, act, [fc.toStringMethod]: () => name }) as Named;

/** What the engine and the network do between any two edits. */
const STEPS: fc.Arbitrary<Named> = fc.oneof(
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

function edits(side: 'helium' | 'journey', change: fc.Arbitrary<Fields | null>): fc.Arbitrary<Named> {
  return fc
    .record({ id: ID, change })
    .map(({ id, change }) =>
      named(`${side} ${id} ${JSON.stringify(change)}`, (stores) =>
        side === 'helium' ? stores.editHelium(id, change) : stores.editJourney(id, change),
      ),
    );
}

const anyChange = fc.oneof(
  { weight: 3, arbitrary: VALUE.map((a) => ({ a })) },
  { weight: 3, arbitrary: VALUE.map((b) => ({ b })) },
  { weight: 1, arbitrary: fc.constant(null) },
);

const plays = (...acts: fc.Arbitrary<Named>[]) => fc.array(fc.oneof(STEPS, ...acts), { maxLength: 40, size: 'max' });

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
  const ofA = VALUE.map((a) => ({ a }));
  const ofB = VALUE.map((b) => ({ b }));
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
        // A call that was given up and lands after its successor may be told as a conflict; its value still loses.
        if (!acts.some(({ name }) => name === 'arrive late')) expect(stores.conflicts).toEqual([]);
      }),
      { seed, numRuns: 2000 },
    );
  }
});
