import { expect, it } from 'vitest';
import { choosing, nextStep } from './new-integration-step.ts';

const app = { id: 'app-1', name: 'Farms', fqdn: 'farms.example', schemaName: 'farms' };
const other = { ...app, id: 'app-2' };

it('waits for a data source, an app, and the word whether the app is free', () => {
  expect(nextStep(choosing, { app: null, dataSource: 'main', isTaken: null })).toBe(choosing);
  expect(nextStep(choosing, { app, dataSource: 'main', isTaken: null })).toBe(choosing);
  expect(nextStep(choosing, { app, dataSource: null, isTaken: false })).toBe(choosing);
});

it('opens no form for an app that has an integration', () => {
  expect(nextStep(choosing, { app, dataSource: 'main', isTaken: true })).toEqual({ name: 'taken', app });
});

it('keeps a form open whose app gets an integration in the meantime, but opens none for another one', () => {
  const filling = nextStep(choosing, { app, dataSource: 'main', isTaken: false });
  expect(filling).toEqual({ name: 'filling', app, dataSource: 'main', isTaken: false });
  expect(nextStep(filling, { app, dataSource: 'main', isTaken: true })).toEqual({ ...filling, isTaken: true });
  expect(nextStep(filling, { app: other, dataSource: 'main', isTaken: true }).name).toBe('taken');
});
