import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { heapFlags } from './heap-flags.ts';

test('npm run sync starts the service with the same flags as npm start', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(scripts.sync).toContain(` ${heapFlags.sync.join(' ')} `);
});
