import { expect, it } from 'vitest';
import { listWantedRights } from './list-wanted-rights.ts';

const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const names = { heliumObjectName: 'FieldWorker', journeyObjectName: 'user', updateIntervalMins: 15 };
const objects = [
  { table: 'region', toHelium: false },
  { table: 'visit', toHelium: true },
];

it('wants to read the tables that go to Journey, and to change those that come from it', () => {
  expect([...listWantedRights({ type: 'user', enabled: false, ...names }, objects)]).toEqual([
    ['region', ['SELECT']],
    ['visit', all],
  ]);
});

it('wants to update the users of an enrollment, and to replace their sessions', () => {
  const sessions = {
    sessionObjectName: 'Session',
    sessionContainerObjectName: 'Region',
    sessionObjectFieldNames: {},
    sessionContainerObjectFieldNames: {},
  };
  expect([...listWantedRights({ type: 'user', enabled: true, ...names }, [])]).toEqual([
    ['fieldworker', ['SELECT', 'UPDATE']],
  ]);
  expect([...listWantedRights({ type: 'session', enabled: true, ...names, ...sessions }, objects)]).toEqual([
    ['region', all],
    ['visit', all],
    ['fieldworker', ['SELECT', 'UPDATE']],
    ['session', all],
  ]);
  const withoutContainers = { ...sessions, sessionContainerObjectName: '' };
  expect([...listWantedRights({ type: 'session', enabled: true, ...names, ...withoutContainers }, [])]).toEqual([
    ['fieldworker', ['SELECT', 'UPDATE']],
    ['session', all],
  ]);
});
