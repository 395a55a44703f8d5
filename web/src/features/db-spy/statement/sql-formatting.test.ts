import { expect, test } from 'vitest';
import { formatSql } from './sql-formatting.ts';

test('keeps parameters unchanged when it formats SQL', () => {
  expect(formatSql('select a from visit where id = $1 and b = any($2::uuid[]) limit $3')).toBe(
    ['select', '  a', 'from', '  visit', 'where', '  id = $1', '  and b = any ($2::uuid[])', 'limit', '  $3'].join(
      '\n',
    ),
  );
});
