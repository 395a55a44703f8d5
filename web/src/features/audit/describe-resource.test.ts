import { expect, test } from 'vitest';
import { describeResource, getKindLabel } from './describe-resource.ts';

test('an app is described by its name, and anything else also by its kind', () => {
  const app = { resourceKind: 'app', resource: 'id-1', resourceName: 'Clinic Visits' };
  expect(describeResource(app)).toBe('Clinic Visits');
  expect(describeResource({ ...app, resourceName: null })).toBe('id-1');
  expect(describeResource({ ...app, resourceKind: 'dashboard', resourceName: null })).toBe('Sync dashboard id-1');
  expect(describeResource({ resourceKind: null, resource: null, resourceName: null })).toBeNull();
});

test('a kind that the page does not know yet is shown as it is', () => {
  expect(getKindLabel('report')).toBe('report');
});
