import { installed, main, run } from './run.mjs';
import { setUp } from './setup.mjs';

const typed = ['tsconfig.json', 'web/tsconfig.json', 'e2e/tsconfig.json', 'bench/tsconfig.json'];

/** Runs all static checks, even after a failure, so that one run reports every problem. */
await main(async () => {
  await setUp();
  const checks = [
    ['format and lint', installed('biome'), ['ci', '--error-on-warnings', '.']],
    ...typed.map((project) => [`types, ${project}`, installed('tsc'), ['-p', project]]),
    ['unused files, exports and dependencies', installed('knip'), ['--no-progress']],
    ['layout', process.execPath, ['--import', 'tsx', 'scripts/check-layout.ts']],
    ['generated files', process.execPath, ['scripts/generate.mjs', '--check']],
  ];
  const failed = [];
  for (const [name, command, args] of checks) {
    if ((await run(command, args)) !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? `All ${checks.length} checks passed.` : `Failed: ${failed.join('; ')}.`);
  return failed.length === 0 ? 0 : 1;
});
