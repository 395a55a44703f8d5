import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CommandError, runQuietly } from './run.mjs';

/** Headless Chromium: the same engine for a third of the CPU time, which dominates the tests. */
const shell = { package: 'chromium-headless-shell', names: ['chromium-headless-shell'] };
/** The browser that users have, and therefore the one to measure. */
const browser = {
  package: 'chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
};
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Returns the path of a Chromium: the one that `CHROMIUM` names, or the wanted one, installed from
 * Debian if possible, or any one on this system.
 *
 * @param {'shell' | 'browser'} wanted
 */
export async function requireChromium(wanted = 'shell') {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new CommandError(`CHROMIUM is ${named}, which does not exist.`);
  if (named) return named;
  const choice = wanted === 'shell' ? shell : browser;
  if (!findProgram(choice.names)) await install(choice.package);
  const chromium =
    findProgram(choice.names) ??
    findProgram([...shell.names, ...browser.names]) ??
    applications.find((path) => existsSync(path));
  if (!chromium) throw new CommandError('The tests need Chromium. Install it, or set CHROMIUM to its path.');
  return chromium;
}

function findProgram(names) {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * Installs a package if we are root on Debian; otherwise the caller falls back to another Chromium.
 */
async function install(name) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${name} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await runQuietly('Updating the package list', 'apt-get', ['update'], { env });
    await runQuietly(`Installing ${name}`, 'apt-get', ['install', '-y', name], { env });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.log(error.message);
  }
}
