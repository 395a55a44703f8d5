import { randomInt } from 'node:crypto';
import { getBinary, main, run } from './run.mjs';
import { scratchFolder } from './scratch.mjs';

/**
 * `npm run soak [MINUTES]`: kills the sync engine a thousand times, and once at each reported step,
 * while people edit records and files and act on requests; kills one of two services with 200
 * integrations; runs cascades and open transactions of maximum size, and an app that locks rows in
 * any order; and runs all property tests with new seeds in each round, for the given time (one
 * round by default). Each round prints its seed; set `SEED=… KILLS=…` before a test to reproduce
 * it.
 */
const minutes = Number(process.argv[2] ?? 0);
const kills = process.env.KILLS ?? '1000';
const fileKills = process.env.FILE_KILLS ?? '200';
const tests = [
  // All property tests.
  '.property.test',
  'sync/src/engine/faults/processes/kill-loop',
  'sync/src/engine/faults/processes/kill-each-step',
  'sync/src/engine/faults/files/killed-downloads',
  'sync/src/many-integrations',
  'sync/src/record/two-stores',
  'sync/src/engine/faults/restores/restores',
  'sync/src/journey/op-log-reader.property',
  'sync/src/helium/change-log-stress',
  'sync/src/engine/faults/helium/helium-database',
  'sync/src/engine/faults/records/references',
  'sync/src/engine/faults/helium/lock-load',
];

await main(async () => {
  const endMs = Date.now() + minutes * 60_000;
  let rounds = 0;
  do {
    rounds += 1;
    const seed = String(randomInt(1, 2 ** 31));
    console.log(`Round ${rounds}: SEED=${seed} KILLS=${kills}`);
    const env = {
      ...process.env,
      TMPDIR: scratchFolder(),
      SEED: seed,
      KILLS: kills,
      FILE_KILLS: fileKills,
      EVERY: '1',
      FILE_EVERY: '7',
      WHOLE: '1',
    };
    const code = await run(getBinary('vitest'), ['run', '--project', 'unit', ...tests], { env });
    if (code !== 0) return code;
  } while (Date.now() < endMs);
  console.log(`${rounds} rounds, nothing lost.`);
  return 0;
});
