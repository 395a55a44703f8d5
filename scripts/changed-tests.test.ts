import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBrowserTests } from './changed-tests.mjs';

const root = join(import.meta.dirname, '..');

test.each(readdirSync(join(root, 'web/src/features')))('a change of the screen %s has a browser test', (feature) => {
  expect(findBrowserTests([`web/src/features/${feature}/any-part.tsx`])).not.toEqual([]);
});

test('finds the browser test of a feature by its folder in the page and in the server, and by its contract', () => {
  const audit = ['e2e/src/audit.test.ts'];
  expect(findBrowserTests(['web/src/features/audit/audit-page.tsx'])).toEqual(audit);
  expect(findBrowserTests(['server/src/features/audit/audit.store.ts'])).toEqual(audit);
  expect(findBrowserTests(['contract/src/audit.ts'])).toEqual(audit);
  expect(findBrowserTests(['contract/src/sync/dashboards.ts'])).toEqual(['e2e/src/sync-dashboards.test.ts']);
});

test('finds a changed browser test, and those that import a changed file', () => {
  expect(findBrowserTests(['e2e/src/audit.test.ts'])).toEqual(['e2e/src/audit.test.ts']);
  expect(findBrowserTests(['e2e/src/log-page.ts'])).toContain('e2e/src/logs.test.ts');
});

test('finds the shell for what all screens share, and nothing for documents', () => {
  expect(findBrowserTests(['web/src/ui/button.tsx'])).toEqual(['e2e/src/shell.test.ts']);
  expect(findBrowserTests(['docs/glossary.md', 'README.md'])).toEqual([]);
});
