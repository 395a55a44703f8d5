/**
 * Whatever becomes of columns, fields, choices and relations on either side, with edits in between
 * and a save at any moment or never: no value that a person or a device has written is gone from
 * both sides and from the lists that people see.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ColumnAction, playColumns } from '../../testing/plays/played-columns.fixture.ts';
import { isSoak } from '../../testing/sync-world.fixture.ts';

/** The default seed repeats the same runs; `npm run soak` plays more, with other seeds. */
const seed = Number(process.env.SEED ?? 20_261_129);
const runs = Number(process.env.RUNS ?? (isSoak ? 100 : 6));
/** Of a counterexample, as its failure prints it. */
const path = process.env.REPLAY;

const edit = fc.record({
  do: fc.constant('edit' as const),
  side: fc.constantFrom('helium' as const, 'journey' as const),
  nth: fc.nat(4),
  column: fc.constantFrom('name' as const, 'code' as const, 'crop' as const, 'region_fk' as const),
});
const change: fc.Arbitrary<ColumnAction> = fc.oneof(
  fc.record({
    do: fc.constantFrom('drop' as const, 'add' as const, 'replace' as const),
    column: fc.constantFrom('code' as const, 'region_fk' as const),
    hasDefault: fc.boolean(),
  }),
  fc.record({
    do: fc.constantFrom('lose' as const, 'return' as const),
    what: fc.constantFrom('code' as const, 'tea' as const),
  }),
  fc.record({ do: fc.constantFrom('rename' as const, 'retype' as const) }),
);
const step = fc.record({ do: fc.constantFrom('rest' as const, 'stop' as const, 'run' as const, 'save' as const) });
const plays = fc.array(
  fc.oneof({ weight: 3, arbitrary: edit }, { weight: 3, arbitrary: change }, { weight: 2, arbitrary: step }),
  {
    minLength: 4,
    maxLength: 9,
    size: 'max',
  },
);

const column = { column: 'code', hasDefault: false } as const;
const examples: Readonly<Record<string, readonly ColumnAction[]>> = {
  'a column that is dropped and added again while its object is paused': [
    { do: 'drop', ...column },
    { do: 'rest' },
    { do: 'add', ...column },
  ],
  'a field that Journey loses and gets again': [
    { do: 'lose', what: 'code' },
    { do: 'rest' },
    { do: 'return', what: 'code' },
  ],
};

test.each(Object.entries(examples))('keeps the values of %s', async (_title, actions) => {
  expect(await playColumns(actions)).toEqual([]);
});

test(
  `loses no value in ${runs} plays of edits and changes of both data models (seed ${seed})`,
  async () => {
    const { failed, errorInstance, counterexample, counterexamplePath } = await fc.check(
      fc.asyncProperty(plays, async (actions) => {
        expect((await playColumns(actions)).join(', ')).toBe('');
      }),
      // A shorter play is found with the path.
      { seed, numRuns: runs, endOnFailure: true, ...(path !== undefined && { path }) },
    );
    const found = `Repeat it with SEED=${seed} REPLAY=${counterexamplePath}: ${JSON.stringify(counterexample)}`;
    expect(failed ? `${errorInstance}\n${found}` : null).toBeNull();
  },
  runs * 30_000 + 60_000,
);
