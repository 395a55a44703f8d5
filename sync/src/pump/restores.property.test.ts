/**
 * Whatever either side held and nobody deleted exists afterwards, on both sides or in a list with
 * both values, whatever is restored, and following whatever advice the product gives. Real
 * PostgreSQL, the real Journey simulator, the real engine; `restore-play.fixture.ts` says what
 * nothing can save.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Action, type Play, playRestores, type Setup } from './testing/restore-play.fixture.ts';
import { isSoak } from './testing/sync-world.fixture.ts';

/** The default seed repeats the same runs; `npm run soak` plays more, with other seeds. */
const seed = Number(process.env.SEED ?? 20_261_123);
const runs = Number(process.env.RUNS ?? (isSoak ? 300 : 20));
/** `RUNS=… KINDS='restore Helium,move'` plays these kinds only. */
const chosen = process.env.KINDS?.split(',');

const side = fc.constantFrom('helium', 'journey');
const table = fc.constantFrom('region', 'region', 'farmer');
const nth = fc.nat({ max: 3 });
const numbers = fc.constantFrom('behind', 'equal', 'past');

/** What people do all the time. */
const edits: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('insert'), side, table, logged: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('edit'),
      side,
      table,
      nth,
      column: fc.constantFrom('name', 'code', 'one-sided'),
      logged: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refer'), side, nth, to: nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), side, table, nth }) },
);

const mode = fc.constantFrom('both', 'to Journey', 'to Helium');

/** What happens besides. A kind that is not played is removed here, with the reason. */
const kinds: Readonly<Record<Exclude<Action['do'], 'insert' | 'edit' | 'refer' | 'delete'>, fc.Arbitrary<Action>>> = {
  rest: fc.constant({ do: 'rest' }),
  stop: fc.constant({ do: 'stop' }),
  run: fc.record({ do: fc.constant('run'), mode: fc.oneof({ weight: 3, arbitrary: fc.constant('both') }, mode) }),
  copy: fc.record({ do: fc.constant('copy'), side }),
  'restore Helium': fc.record({
    do: fc.constant('restore Helium'),
    numbers,
    how: fc.constantFrom('rows', 'schema', 'schema, noticed', 'database'),
  }),
  'restore Journey': fc.record({ do: fc.constant('restore Journey'), numbers }),
  'empty list': fc.record({ do: fc.constant('empty list'), during: fc.constantFrom('comparison', 'version 0') }),
  move: fc.record({
    do: fc.constant('move'),
    direction: fc.constantFrom('helium-to-journey', 'journey-to-helium'),
    to: fc.constantFrom('zero', 'half'),
  }),
  compare: fc.constant({ do: 'compare' }),
  expire: fc.record({ do: fc.constant('expire'), keep: fc.nat({ max: 1 }) }),
  'clear log': fc.constant({ do: 'clear log' }),
  'lose state': fc.constant({ do: 'lose state' }),
  'create again': fc.record({ do: fc.constant('create again'), side, nth }),
};

const events = fc.oneof(
  ...Object.entries(kinds)
    .filter(([kind]) => chosen?.includes(kind) ?? true)
    .map(([, arbitrary]) => arbitrary),
);

const setup: fc.Arbitrary<Setup> = fc.record({
  policy: fc.constantFrom('later', 'helium', 'journey'),
  mode: fc.oneof({ weight: 3, arbitrary: fc.constant('both') }, mode),
  from: fc.oneof({ weight: 3, arbitrary: fc.constant('zero') }, fc.constantFrom('given', 'half')),
});

/** Records on both sides, the first run, copies of both sides, and then anything. */
const plays: fc.Arbitrary<Play> = fc
  .record({
    setup,
    before: fc.array(edits, { maxLength: 5 }),
    after: fc.array(fc.oneof({ weight: 3, arbitrary: edits }, { weight: 2, arbitrary: events }), {
      minLength: 2,
      maxLength: 12,
      size: 'max',
    }),
  })
  .map(({ setup, before, after }) => ({
    setup,
    actions: [
      ...before,
      { do: 'run', mode: setup.mode },
      { do: 'rest' },
      { do: 'copy', side: 'helium' },
      { do: 'copy', side: 'journey' },
      ...after,
    ],
  }));

test(
  `loses nothing in ${runs} plays of edits, restores and versions moved back (seed ${seed})`,
  async () => {
    const {
      failed,
      counterexample,
      errorInstance,
      numShrinks,
      seed: played,
      counterexamplePath,
    } = await fc.check(fc.asyncProperty(plays, playRestores), {
      seed,
      numRuns: runs,
      ...(process.env.REPLAY ? { path: process.env.REPLAY } : {}),
    });
    if (failed)
      console.log(
        `seed ${played}, path ${counterexamplePath}, ${numShrinks} shrinks: ${JSON.stringify(counterexample)}`,
      );
    expect(failed ? String(errorInstance) : null).toBeNull();
  },
  runs * 30_000 + 60_000,
);
