import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runQuietly, Sentence } from './run.mjs';

/**
 * Chromium without its windows: the same engine for a third of the processor time, which is most of
 * what tests need.
 */
const shell = { package: 'chromium-headless-shell', names: ['chromium-headless-shell'] };
/** What people use, and so what is measured. */
const browser = {
  package: 'chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
};
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * The path of a Chromium: the one `CHROMIUM` names, or the wanted one, installed from Debian where
 * we may, or else whichever the system has.
 *
 * @param {'shell' | 'browser'} wanted
 */
export async function requireChromium(wanted = 'shell') {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new Sentence(`CHROMIUM names ${named}, and there is no such file.`);
  if (named) return named;
  const choice = wanted === 'shell' ? shell : browser;
  if (!findProgram(choice.names)) await install(choice.package);
  const chromium =
    findProgram(choice.names) ??
    findProgram([...shell.names, ...browser.names]) ??
    applications.find((path) => existsSync(path));
  if (!chromium) throw new Sentence('The tests need a Chromium: install one, or name its path in CHROMIUM.');
  return chromium;
}

function findProgram(names) {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** Where we may and can; otherwise another Chromium has to do. */
async function install(name) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${name} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await runQuietly('Reading the list of packages', 'apt-get', ['update'], { env });
    await runQuietly(`Installing ${name}`, 'apt-get', ['install', '-y', name], { env });
  } catch (error) {
    if (!(error instanceof Sentence)) throw error;
    console.log(error.message);
  }
}
