import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const toUrl = (path: string) => new URL(`../${path}`, import.meta.url);
const page = readFileSync(toUrl('docs/security.md'), 'utf8');

const requirements = page
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [, number = '', , verdict = '', , tests = ''] = line.split('|').map((cell) => cell.trim());
    return { number, verdict, tests };
  });

it('the security page names only tests, files and folders that exist', () => {
  const named = [...page.matchAll(/`([a-z][\w.-]*(?:\/[\w.-]+)+|[\w.-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  expect(named.filter((path) => path.endsWith('.test.ts')).length).toBeGreaterThan(100);
  expect(named.filter((path) => !existsSync(toUrl(path)))).toEqual([]);
});

it('the security page calls a requirement met or partly met only with a test', () => {
  expect(requirements.length).toBeGreaterThan(150);
  const known = ['met', 'partly', 'not shown', 'not met', 'n/a'];
  expect(requirements.filter(({ verdict }) => !known.includes(verdict))).toEqual([]);
  const claimed = requirements.filter(({ verdict }) => ['met', 'partly'].includes(verdict));
  expect(claimed.filter(({ tests }) => !tests.includes('.test.ts`'))).toEqual([]);
});
