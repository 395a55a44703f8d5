import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, main, root, runSilently } from './run.mjs';

/**
 * `npm run second-readers`: installs the clients and readers of others that tests compare the
 * portal's own with. Where they are missing, these tests are skipped.
 */

/** From the npm registry, into a folder of their own: the product never imports them. */
const packages = {
  '@journeyapps/core-xml': '5.0.4',
  '@stoplight/prism-cli': '5.14.2',
  'jira.js': '5.4.0',
  'node-ical': '0.26.1',
};

/** From Debian or Ubuntu, by package: the file that shows that it is installed. */
const programs = {
  maven: '/usr/share/maven/lib',
  'default-jre-headless': '/usr/bin/java',
  'python3-dateutil': '/usr/lib/python3/dist-packages/dateutil',
  'python3-icalendar': '/usr/lib/python3/dist-packages/icalendar',
};

await main(async () => {
  const folder = join(root, 'node_modules', '.cache', 'second-readers');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  console.log(`Installing ${wanted.join(', ')} …`);
  const npm = ['install', '--ignore-scripts', '--prefix', folder, '--no-fund', '--no-audit', '--loglevel=error'];
  const installed = await runSilently('npm', [...npm, ...wanted]);
  if (installed.code !== 0) throw new CommandError(`The packages could not be installed: ${installed.output.trim()}`);
  await installPrograms();
  return 0;
});

async function installPrograms() {
  const missing = Object.keys(programs).filter((name) => !existsSync(programs[name]));
  if (missing.length === 0) return;
  const names = missing.join(', ');
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.log(`Install ${names} with this system's packages; the tests that need them are skipped otherwise.`);
    return;
  }
  console.log(`Installing ${names} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = ['install', '--yes', '--no-install-recommends', ...missing];
  const updated = await runSilently('apt-get', ['update'], { env });
  const { code, output } = updated.code === 0 ? await runSilently('apt-get', apt, { env }) : updated;
  if (code !== 0) throw new CommandError(`${names} could not be installed: ${output.trim()}`);
}
