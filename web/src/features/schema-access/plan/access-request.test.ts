import { expect, test } from 'vitest';
import { createGrantRequest } from './access-request.ts';

test('uses separate plans for different schemas, data sources and teams', () => {
  const requests = [
    createGrantRequest('Production', 'team_a', { dataSource: 'one', schemaName: 'clinic' }),
    createGrantRequest('Production', 'team_b', { dataSource: 'one', schemaName: 'clinic' }),
    createGrantRequest('Production', 'team_a', { dataSource: 'two', schemaName: 'clinic' }),
    createGrantRequest('Production', 'team_a', { appId: 'app', schemaName: 'clinic' }),
  ];
  expect(new Set(requests.map(({ key }) => key.join())).size).toBe(requests.length);
});
