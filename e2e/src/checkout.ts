import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));

/**
 * A copy of the project's files in a separate folder: cloned, installed, and with the page that is
 * built here.
 */
export interface Checkout {
  readonly folder: string;
  remove(): void;
}

export function createCheckout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'portal-checkout-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0')) {
    if (file === '' || !existsSync(join(repositoryRoot, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(repositoryRoot, file), join(folder, file));
  }
  const page = join('web', 'dist');
  if (existsSync(join(repositoryRoot, page))) {
    cpSync(join(repositoryRoot, page), join(folder, page), { recursive: true });
  }
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
