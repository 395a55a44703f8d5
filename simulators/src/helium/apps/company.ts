/**
 * Hundreds of small apps, as a company has them. Most functions succeed; those of some apps fail.
 */
import type { AppTemplate, FunctionDefinition } from '../definition.ts';
import { between, bool, chance, datetime, daysAgo, int, numbered, persistentObject, string } from '../model.ts';
import { outboundTimeout, placeName, scheduled, town } from './vocabulary.ts';

const failingApps = 118;
const allApps = 391;
/** Have a long history in a table without an index. */
const appsWithHistory = 40;

const subjects = [
  'Patient',
  'Clinic',
  'Farmer',
  'Vaccine',
  'Parcel',
  'Teacher',
  'Pharmacy',
  'Harvest',
  'Payment',
  'Borehole',
];
const purposes = ['Registry', 'Monitor', 'Reminders', 'Planner', 'Survey', 'Ledger', 'Connect', 'Inspections'];
const places = ['Harare', 'Lusaka', 'Gaborone', 'Maputo', 'Maseru'];

export interface CompanySize {
  /** At most 400, so that no two have the same name. */
  readonly apps: number;
  /** The results of an app with a long history. */
  readonly storedResults: number;
}

export function createCompanyApps(size: CompanySize = { apps: allApps, storedResults: 50_000 }): AppTemplate[] {
  return Array.from({ length: size.apps }, (_, index) => createApp(index, size.storedResults));
}

function createApp(index: number, storedResults: number): AppTemplate {
  const subject = subjects[index % subjects.length] ?? '';
  const purpose = purposes[Math.floor(index / subjects.length) % purposes.length] ?? '';
  const place = places[Math.floor(index / (subjects.length * purposes.length))] ?? '';
  const words = [subject, purpose, place];
  return {
    name: words.join(' '),
    schema: words.join('_').toLowerCase(),
    host: words.join('-').toLowerCase(),
    objects: [
      persistentObject('Site', { rows: 10 }, { name: string(placeName('Office', 'Post')), town: string(town) }),
      persistentObject(
        subject,
        { rows: 40, toOne: { site: 'Site' } },
        { code: string(numbered('C', 5)), active: bool(chance(90)) },
      ),
      persistentObject(
        'Entry',
        { rows: 60, toOne: { site: 'Site' } },
        { quantity: int(between(1, 90)), enteredAt: datetime(daysAgo(0, 60)) },
      ),
    ],
    views: [
      {
        name: 'site_entries',
        materialized: false,
        sql: 'select site_fk, count(*)::int as entries from entry group by site_fk',
      },
    ],
    functions: createFunctions(subject, index, isFailing(index)),
    chatter: [
      ['INFO', `${subject} {n} saved`],
      ['WARNING', `${subject} {n} has no site`],
    ],
    ...(index < appsWithHistory && { storedResults }),
  };
}

/** Whether a function of the app fails; these apps are spread over all. */
function isFailing(index: number): boolean {
  const countUpTo = (end: number) => Math.floor((end * failingApps) / allApps);
  return countUpTo(index + 1) > countUpTo(index);
}

/** One runs each hour, the others at night, each app at minutes of its own. */
function createFunctions(subject: string, index: number, alwaysFails: boolean): FunctionDefinition[] {
  const minute = (index * 7) % 60;
  const hour = index % 5;
  return [
    scheduled('Entries:summarize', `${minute} * * * *`, async (mez) => {
      const rows = await mez.select('select * from site_entries');
      mez.log(`${rows.length} sites have entries`);
    }),
    {
      ...scheduled('Exports:deliver', `${minute} ${hour} * * *`, async (mez) => {
        if (alwaysFails) throw outboundTimeout('https://warehouse.example.com/deliveries');
        mez.log('delivered');
      }),
      alwaysFails,
    },
    scheduled(`${subject}s:archive`, `${minute} ${hour} * * 1-5`, async (mez) => mez.log('nothing is old enough')),
    scheduled(`${subject}s:remind`, `${minute} 6 * * 1-5`, async (mez) => mez.log('no reminders are due')),
    scheduled('Reports:weekly', `${minute} 5 * * 1`, async (mez) => mez.log('sent to 3 people')),
  ];
}
