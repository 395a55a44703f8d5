/**
 * Whatever either side held and no person deleted exists afterwards, on both sides or in a list
 * with both values, whatever is restored, and following whatever advice the product gives. Real
 * PostgreSQL, the real Journey simulator, the real engine; `restore-play.fixture.ts` says what
 * nothing can save.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restoreExamples } from '../../testing/plays/restore-examples.fixture.ts';
import { playRestores } from '../../testing/plays/restore-play.fixture.ts';
import { plays } from '../../testing/plays/restore-plays.fixture.ts';
import { isSoak } from '../../testing/sync-world.fixture.ts';

/** The default seed repeats the same runs; `npm run soak` plays more, with other seeds. */
const seed = Number(process.env.SEED ?? 20_261_123);
const runs = Number(process.env.RUNS ?? (isSoak ? 300 : 10));
/** Of a counterexample, as its failure prints it. */
const path = process.env.REPLAY;

test.each(Object.entries(restoreExamples))('keeps %s', async (_title, play) => {
  await playRestores(play);
});

test(
  `loses nothing in ${runs} plays of edits, restores and versions moved back (seed ${seed})`,
  async () => {
    const { failed, errorInstance, counterexample, counterexamplePath } = await fc.check(
      fc.asyncProperty(plays, playRestores),
      // The soak reports at once: a shorter play is found with the path.
      { seed, numRuns: runs, endOnFailure: isSoak, ...(path !== undefined && { path }) },
    );
    const found = `Repeat it with SEED=${seed} REPLAY=${counterexamplePath}: ${JSON.stringify(counterexample)}`;
    expect(failed ? `${errorInstance}\n${found}` : null).toBeNull();
  },
  runs * 30_000 + 60_000,
);
