import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readKnownLimits } from './known-limits.ts';

test('reads the limits group by group, each as one line', () => {
  const document = `# Faults

## Known limits

An introduction.

### One direction only

- Edits stay there,
  as \`two\` lines.
- Another one.

### Files

- A file.

## Limits of these tests

- The suite is small.
`;
  expect(readKnownLimits(document)).toEqual([
    { title: 'One direction only', limits: ['Edits stay there, as `two` lines.', 'Another one.'] },
    { title: 'Files', limits: ['A file.'] },
  ]);
});

test('reads every limit of the document, in words for operators', () => {
  const document = readFileSync(new URL('../../../docs/sync-faults.md', import.meta.url), 'utf8');
  const groups = readKnownLimits(document);
  const [, section = ''] = document.split('## Known limits');
  const count = section.split('\n## ')[0]?.match(/^- /gm)?.length;
  expect(groups.flatMap(({ limits }) => limits)).toHaveLength(count ?? 0);
  for (const { title, limits } of groups) {
    expect(title).toMatch(/^[A-Z]/);
    // The page shows no links and no emphasis, and no operator knows the files of the tests.
    for (const limit of limits) expect(limit).toMatch(/^"?[A-Z][^[*]*[.]$/);
    for (const limit of limits) expect(limit).not.toMatch(/`[^`]*\//);
  }
});
