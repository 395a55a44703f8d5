import { existsSync } from 'node:fs';
import { CommandError, main, run, runSilently } from './run.mjs';

/**
 * `npm run second-readers`: installs programs of others that read the same data as the portal.
 * Tests compare their results with the portal's, and are skipped where they are not installed.
 */
const readers = [
  {
    name: "python's dateutil and icalendar, for calendars",
    packages: ['python3-dateutil', 'python3-icalendar'],
    isInstalled: () => succeeds('/usr/bin/python3', ['-c', 'import dateutil, icalendar']),
  },
];

await main(async () => {
  for (const { name, packages, isInstalled } of readers) {
    if (!(await isInstalled())) await installPackages(name, packages);
    console.log(`${name}: ${(await isInstalled()) ? 'installed' : 'not installed'}`);
  }
  return 0;
});

/** Only root may install packages of the system. */
async function installPackages(name, packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.log(`Install ${packages.join(' and ')} with this system's packages.`);
    return;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { code, output } = await runSilently('apt-get', ['update'], { env });
  if (code !== 0) throw new CommandError(`The list of packages could not be updated: ${output.trim()}`);
  const install = ['apt-get', ['install', '--yes', '--no-install-recommends', ...packages], { env }];
  if ((await run(...install)) !== 0) throw new CommandError(`${name} could not be installed.`);
}

async function succeeds(command, args) {
  if (!existsSync(command)) return false;
  const { code } = await runSilently(command, args);
  return code === 0;
}
