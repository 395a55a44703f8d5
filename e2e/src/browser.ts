import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const usualPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Default paths of the system's browser; CHROMIUM overrides them. */
export function findChromium(): string {
  const named = process.env.CHROMIUM;
  const found = named ? [named].find(existsSync) : usualPaths.find(existsSync);
  if (!found) throw new Error(`no Chromium at ${named ?? usualPaths.join(', ')}; CHROMIUM names another path`);
  return found;
}

/**
 * Lets the pages of one context share a process and its compiled scripts. Test pages are too
 * short-lived for script optimization to pay off.
 */
export const oneRenderer = ['--renderer-process-limit=1', '--js-flags=--no-maglev --no-turbofan'];

/** Launches a browser with an empty profile and no background requests. */
export function launchBrowser(executablePath: string, more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
}
