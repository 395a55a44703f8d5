import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = dirname(import.meta.dirname);
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path && existsSync(join(root, path)));

/** The links of a document to files, with their texts. */
function listLinks(path: string) {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)].flatMap(([, label = '', target = '']) =>
    /^(https?:|mailto:|#)/.test(target) ? [] : [{ label, file: join(dirname(path), target.replace(/#.*/, '')) }],
  );
}

test.each(documents)('every file that %s links exists, and has the name of a link to code', (path) => {
  const broken = listLinks(path).filter(({ label, file }) => {
    if (!existsSync(join(root, file))) return true;
    const [, name] = /^`(\w+)`$/.exec(label) ?? [];
    return file.endsWith('.ts') && name !== undefined && !readFileSync(join(root, file), 'utf8').includes(name);
  });
  expect(broken).toEqual([]);
});

test('every test that the list of faults names exists', () => {
  const rows = readFileSync(join(root, 'docs/sync-faults.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|')[2] ?? '');
  const names = rows.flatMap((cell) => [...cell.matchAll(/`([\w-]+\/[\w./-]+)`/g)].map(([, name = '']) => name));
  const endings = ['.test.ts', '.ts', '.test.tsx', ''];
  const isThere = (name: string) =>
    ['sync/src', '.'].some((folder) => endings.some((ending) => existsSync(join(root, folder, name + ending))));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
