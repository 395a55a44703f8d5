import { expect, it } from 'vitest';
import { getStep } from './new-integration-step.ts';

const app = { id: 'app-1', name: 'Farms', fqdn: 'farms.example', schemaName: 'farms' };
const form = 'app-1 main';

it('waits for a data source, an app, and whether the app already has an integration', () => {
  expect(getStep({ app: null, dataSource: 'main', isTaken: null }, null)).toEqual({ name: 'choosing' });
  expect(getStep({ app, dataSource: 'main', isTaken: null }, form)).toEqual({ name: 'choosing' });
  expect(getStep({ app, dataSource: null, isTaken: false }, null)).toEqual({ name: 'choosing' });
});

it('does not open a form for an app that already has an integration', () => {
  expect(getStep({ app, dataSource: 'main', isTaken: true }, null)).toEqual({ name: 'taken', app });
});

it('keeps a form open when its app gets an integration in the meantime, but does not open another one', () => {
  const filling = getStep({ app, dataSource: 'main', isTaken: false }, null);
  expect(filling).toEqual({ name: 'filling', app, dataSource: 'main', isTaken: false, form });
  expect(getStep({ app, dataSource: 'main', isTaken: true }, form)).toEqual({ ...filling, isTaken: true });
  expect(getStep({ app: { ...app, id: 'app-2' }, dataSource: 'main', isTaken: true }, form).name).toBe('taken');
});
