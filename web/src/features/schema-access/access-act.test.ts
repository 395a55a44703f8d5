import { grantStateSchema } from '@portal/contract/schema-access';
import { expect, test } from 'vitest';
import { findRevertObstacle, grantOf } from './access-act.ts';

test('only a grant that holds can be reverted; the others say why not', () => {
  const revertible = grantStateSchema.options.filter((state) => findRevertObstacle({ state }) === null);
  expect(revertible).toEqual(['granted']);
});

test('acts on different schemas, sources and teams have plans of their own', () => {
  const acts = [
    grantOf('Production', 'team_a', { dataSource: 'one', schemaName: 'clinic' }),
    grantOf('Production', 'team_b', { dataSource: 'one', schemaName: 'clinic' }),
    grantOf('Production', 'team_a', { dataSource: 'two', schemaName: 'clinic' }),
    grantOf('Production', 'team_a', { appId: 'app', schemaName: 'clinic' }),
  ];
  expect(new Set(acts.map(({ key }) => key.join())).size).toBe(acts.length);
});
