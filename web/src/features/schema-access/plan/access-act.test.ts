import { expect, test } from 'vitest';
import { grantOf } from './access-act.ts';

test('acts on different schemas, sources and teams have plans of their own', () => {
  const acts = [
    grantOf('Production', 'team_a', { dataSource: 'one', schemaName: 'clinic' }),
    grantOf('Production', 'team_b', { dataSource: 'one', schemaName: 'clinic' }),
    grantOf('Production', 'team_a', { dataSource: 'two', schemaName: 'clinic' }),
    grantOf('Production', 'team_a', { appId: 'app', schemaName: 'clinic' }),
  ];
  expect(new Set(acts.map(({ key }) => key.join())).size).toBe(acts.length);
});
