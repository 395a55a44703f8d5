import { getBinary, main, run } from './run.mjs';
import { setUp } from './setup.mjs';

const typescriptProjects = ['tsconfig.json', 'web/tsconfig.json', 'e2e/tsconfig.json', 'bench/tsconfig.json'];

/** Runs all static checks, even after a failure, so that one run reports every problem. */
await main(async () => {
  await setUp();
  const checks = [
    ['format and lint', getBinary('biome'), ['ci', '--error-on-warnings', '.']],
    ...typescriptProjects.map((project) => [`types, ${project}`, getBinary('tsc'), ['-p', project]]),
    ['unused files, exports and dependencies', getBinary('knip'), ['--no-progress']],
    ['spelling', getBinary('cspell'), ['lint', '--no-progress', '--no-summary', '.']],
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
