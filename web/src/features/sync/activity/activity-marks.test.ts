import type { Schedule } from '@portal/contract/deployments';
import { expect, test } from 'vitest';
import { listMarks } from './activity-marks.ts';

const schedule: Schedule = {
  id: '1',
  deploymentDate: '2026-11-27T10:00:00.000Z',
  team: 'Clinic Team',
  jiraProject: 'CLINIC',
  appIds: ['a', 'b'],
  appNames: [],
  appSchemas: [],
  releaseName: 'Release 4',
  releaseGroup: '',
  releaseTag: '',
  releaseDescription: '',
  instructions: '',
  dataSource: '',
  environment: 'Production',
  scheduleStatus: 'RESOLVED',
  outcome: 'rolledBack',
  outcomeNote: '',
  portalUser: 'demo',
  revision: 1,
  updatedAt: '2026-11-27T10:00:00.000Z',
};
const day = { fromMs: Date.parse('2026-11-27T00:00:00Z'), toMs: Date.parse('2026-11-27T16:00:00Z') };
const noon = Date.parse('2026-11-27T12:00:00Z');

test('lists status changes, saves and deployments of the app, the latest first', () => {
  const history = [
    { at: '2026-11-27T09:00:00.000Z', status: 'Halted', by: 'engine', reason: 'Journey was restored.' },
    { at: '2026-11-27T11:00:00.000Z', status: 'Enabled', by: 'thandi', reason: 'saved' },
    { at: '2026-11-27T08:00:00.000Z', status: 'Disabled', by: 'sipho', reason: null },
    { at: '2026-11-26T23:00:00.000Z', status: 'Enabled', by: 'sipho', reason: 'created' },
  ] as const;
  expect(
    listMarks({ history, schedules: [schedule], appId: 'b' }, day, noon).map(({ at: _, ...mark }) => mark),
  ).toEqual([
    { tone: 'neutral', title: 'Configuration saved', text: 'by thandi, enabled' },
    { tone: 'warning', title: 'Deployment', text: 'Release 4 of Clinic Team, rolled back' },
    { tone: 'danger', title: 'Halted', text: 'by engine: Journey was restored.' },
    { tone: 'warning', title: 'Disabled', text: 'by sipho' },
  ]);
});

test('leaves out deployments of other apps, those called off and those planned for later in the same interval', () => {
  const schedules: Schedule[] = [
    { ...schedule, appIds: ['c'] },
    { ...schedule, outcome: 'calledOff' },
    { ...schedule, deploymentDate: '2026-11-27T12:00:01.000Z' },
  ];
  expect(listMarks({ history: [], schedules, appId: 'a' }, day, noon)).toEqual([]);
});
