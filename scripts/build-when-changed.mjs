import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './run.mjs';

/**
 * Builds something unless its stamp shows that it is up to date with its sources.
 *
 * @param sources files and folders of the project
 * @param stamp a file that a build removes first, so that an interrupted build leaves none
 */
export async function buildWhenChanged({ sources, stamp, build }) {
  const hash = hashFiles(sources.map((path) => join(root, path)));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  await build();
  writeFileSync(stamp, hash);
}

function hashFiles(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(listFiles))
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function listFiles(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}
