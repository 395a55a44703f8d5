/**
 * A complete platform for tests that starts quickly: three apps with few rows and simple functions.
 */
import type { AppDefinition, AppTemplate, EnvironmentDefinition } from './definition.ts';
import { JavaException } from './java-exception.ts';
import {
  between,
  bool,
  chance,
  date,
  datetime,
  daysAgo,
  decimal,
  int,
  json,
  money,
  none,
  numbered,
  persistentObject,
  pick,
  string,
} from './model.ts';

const clinic: AppTemplate = {
  name: 'Clinic Visits',
  schema: 'clinic_visits',
  host: 'visits',
  objects: [
    persistentObject('Region', { rows: 3 }, { name: string(pick('Eastern', 'Southern', 'Copperbelt')) }),
    persistentObject(
      'Nurse',
      { rows: 4, role: true, toMany: { regions: 'Region' } },
      { badge: string(numbered('N', 4)) },
    ),
    persistentObject(
      'Visit',
      { rows: 30, toOne: { region: 'Region', nurse: 'Nurse' } },
      {
        reference: string(numbered('V', 6)),
        status: string(pick('Open', 'Closed')),
        seenOn: date(daysAgo(0, 60)),
        closedAt: datetime(none),
        weight: decimal(money(3, 90)),
        urgent: bool(chance(20)),
        followUps: int(between(0, 3)),
      },
    ),
    persistentObject('Cache', { rows: 3, tracked: false }, { body: json(() => `jsonb_build_object('n', i)`) }),
  ],
  views: [
    {
      name: 'visit_summary',
      materialized: true,
      sql: 'select status, count(*)::int as visits from visit group by status',
    },
    { name: 'open_visit', materialized: false, sql: `select * from visit where status = 'Open'` },
  ],
  functions: [
    {
      unit: 'Nightly',
      event: 'closeOldVisits',
      schedule: '15 2 * * *',
      body: async (mez) => {
        const closed = await mez.sql(`update visit set status = 'Closed' where status = 'Open'`);
        mez.log(`closed ${closed} visits`);
      },
    },
    {
      unit: 'Reminders',
      event: 'sendReminders',
      schedule: '* * * * *',
      body: async (mez) => mez.log('no reminders are due'),
    },
    {
      unit: 'Reminders',
      event: 'callGateway',
      schedule: '*/5 * * * *',
      body: async () => {
        throw new JavaException(
          'com.mezzanineware.dsl.runtime.http.OutboundApiException',
          'Outbound API call failed',
          new JavaException('java.net.SocketTimeoutException', 'Read timed out'),
        );
      },
    },
    {
      unit: 'Reports',
      event: 'runForever',
      schedule: '0 4 1 * *',
      body: async (mez) => void (await mez.sql('select pg_sleep(600)')),
    },
    {
      unit: 'Reports',
      event: 'exportVisits',
      schedule: '30 3 * * 1-5',
      body: async (mez) => {
        const visits = await mez.select('select _id_ from visit');
        mez.log(`exported ${visits.length} visits`);
      },
    },
  ],
  chatter: [
    ['INFO', 'visit {n} opened'],
    ['WARNING', 'visit {n} has no nurse'],
  ],
};

const farm: AppTemplate = {
  name: 'Farm Inputs',
  schema: 'farm_inputs',
  host: 'inputs',
  objects: [
    persistentObject('Farmer', { rows: 10 }, { name: string(numbered('Farmer ', 3)), hectares: decimal(money(1, 20)) }),
  ],
  views: [],
  functions: [
    {
      unit: 'Vouchers',
      event: 'expireVouchers',
      schedule: '0 * * * *',
      body: async (mez) => mez.log('no voucher is old enough'),
    },
  ],
  chatter: [['INFO', 'voucher {n} redeemed']],
};

const stock: AppTemplate = {
  name: 'Stock Room',
  schema: 'stock_room',
  host: 'stock',
  objects: [
    persistentObject('Item', { rows: 10 }, { name: string(numbered('Item ', 3)), onHand: int(between(0, 200)) }),
  ],
  views: [],
  functions: [],
  chatter: [['INFO', 'counted {n} items']],
};

const place = (app: AppTemplate, dataSource: string): AppDefinition => ({
  ...app,
  fqdn: `${app.host}.example.org`,
  schemaName: `${app.schema}_001`,
  dataSource,
  scale: 1,
});

export const smallEnvironment: EnvironmentDefinition = {
  name: 'Production',
  timeZone: 'Africa/Johannesburg',
  dataSources: [
    { heliumDataSourceName: 'helium-app-1', hostname: 'pg-1.helium.internal' },
    { heliumDataSourceName: 'helium-app-2', hostname: 'pg-2.helium.internal' },
  ],
  apps: [place(clinic, 'helium-app-1'), place(farm, 'helium-app-1'), place(stock, 'helium-app-2')],
  teams: ['team_health', 'team_farming'],
  users: [
    { userName: 'demo', password: 'demo', apps: 'all' },
    { userName: 'health.dev', password: 'health', apps: ['Clinic Visits'] },
    { userName: 'farm.dev', password: 'farm', apps: ['Farm Inputs'] },
    { userName: 'viewer', password: 'viewer', apps: 'all', readOnly: true },
  ],
};
