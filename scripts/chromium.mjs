import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runQuietly, Sentence } from './run.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of a Chromium: the one `CHROMIUM` names, the system's, or Debian's package, installed where we may. */
export async function requireChromium() {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new Sentence(`CHROMIUM names ${named}, and there is no such file.`);
  return named || findChromium() || (await installChromium());
}

function findChromium() {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  return [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...APPLICATIONS].find(existsSync);
}

async function installChromium() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Sentence('The tests need a Chromium: install one, or name its path in CHROMIUM.');
  }
  console.log('Installing Chromium …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runQuietly('Reading the list of packages', 'apt-get', ['update'], { env });
  await runQuietly('Installing Chromium', 'apt-get', ['install', '-y', 'chromium'], { env });
  const installed = findChromium();
  if (!installed) throw new Sentence('Chromium was installed but cannot be found; name its path in CHROMIUM.');
  return installed;
}
