/** The rosters of `npm start`: teams of Production with calendars, PagerDuty, and portal shifts. */
import { join } from 'node:path';
import { getStablePort } from '@portal/kit/ports';
import { writeRotationFeed } from './rotation-feed.ts';
import { startRosterSimulator } from './simulator.ts';

interface DemoTeam {
  readonly name: string;
  readonly deploymentTeams?: string[];
  readonly environments: string[];
  readonly calendar?: string;
  readonly pagerDutySchedule?: string;
}

export interface DemoRosters {
  /** The values for the portal's configuration. */
  readonly supportRoster: {
    readonly teams: DemoTeam[];
    readonly people: { readonly name: string; readonly number: string }[];
    readonly pagerDuty: { readonly baseUrl: string; readonly token: string };
  };
  stop(): Promise<void>;
}

const token = 'demo-pagerduty-token';
const scheduleId = 'PSTOCK1';
const environments = ['Production'];

const people = [
  { name: 'Thabo Mokoena', number: '+27 82 555 0142' },
  { name: 'Naledi Khumalo', number: '+27 83 555 0199' },
  { name: 'Pieter van Wyk', number: '+27 72 555 0117' },
  { name: 'Ayanda Dlamini', number: '+27 76 555 0173' },
  { name: 'Mutale Banda', number: '+260 97 555 0128' },
  { name: 'Chanda Phiri', number: '+260 96 555 0164' },
  { name: 'Bwalya Mwansa', number: '+260 95 555 0185' },
];

const health = {
  timeZone: 'Africa/Johannesburg',
  people: ['Thabo Mokoena', 'Naledi Khumalo', 'Pieter van Wyk', 'Ayanda Dlamini'],
  swapEvery: 5,
};

const farming = {
  timeZone: 'Africa/Lusaka',
  people: ['Mutale Banda', 'Chanda Phiri', 'Bwalya Mwansa'],
  swapEvery: 7,
  shortEvery: 4,
};

const users = [
  { id: 'PU1LERATO', name: 'Lerato Nkosi', phone: { country_code: 27, address: '825550131' } },
  { id: 'PU2JOHAN', name: 'Johan Botha', phone: { country_code: 27, address: '835550156' } },
  { id: 'PU3ZANELE', name: 'Zanele Sithole', phone: null },
];

/** `stateDir` stores the port. */
export async function startDemoRosters({ stateDir }: { readonly stateDir: string }): Promise<DemoRosters> {
  const simulator = await startRosterSimulator({
    port: await getStablePort(join(stateDir, 'ports.json'), 'rosters'),
    feeds: {
      health: () => writeRotationFeed(health, new Date()),
      farming: () => writeRotationFeed(farming, new Date()),
    },
    pagerDuty: { token, users, scheduleIds: [scheduleId] },
  });
  return {
    supportRoster: {
      teams: [
        { name: 'Health', deploymentTeams: ['Health Team'], environments, calendar: simulator.feedUrl('health') },
        { name: 'Farming', deploymentTeams: ['Farming Team'], environments, calendar: simulator.feedUrl('farming') },
        { name: 'Stock', environments, pagerDutySchedule: scheduleId },
        { name: 'Platform', deploymentTeams: ['Integrations'], environments },
      ],
      people,
      pagerDuty: { baseUrl: simulator.pagerDutyUrl, token },
    },
    stop: () => simulator.stop(),
  };
}
