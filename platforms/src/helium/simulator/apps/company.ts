/** Hundreds of small apps, as a company has them. Most functions succeed; those of some apps fail. */
import type { AppTemplate, FunctionDefinition } from '../definition.ts';
import { between, bool, chance, datetime, daysAgo, int, numbered, persistentObject, string } from '../model.ts';
import { outboundTimeout, placeName, scheduled, town } from './vocabulary.ts';

/** With the nine apps of the small demo, a company has 400. */
export const companyApps = 391;
/** Have a function whose last run failed. */
const failingApps = 118;
/** Have a long history in a table without an index. */
const appsWithHistory = 40;
const resultsOfHistory = 50_000;

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

/** @param count at most 400, so that no two have the same name */
export function createCompanyApps(count = companyApps): AppTemplate[] {
  return Array.from({ length: count }, (_, index) => createApp(index, count));
}

function createApp(index: number, count: number): AppTemplate {
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
    functions: createFunctions(subject, index, (index * failingApps) % count < failingApps),
    chatter: [
      ['INFO', `${subject} {n} saved`],
      ['WARNING', `${subject} {n} has no site`],
    ],
    ...(index < appsWithHistory && { storedResults: resultsOfHistory }),
  };
}

/** One runs each hour, the others at night, each app at minutes of its own. */
function createFunctions(subject: string, index: number, isFailing: boolean): FunctionDefinition[] {
  const minute = (index * 7) % 60;
  const hour = index % 5;
  return [
    scheduled('Entries:summarize', `${minute} * * * *`, async (mez) => {
      const rows = await mez.select('select * from site_entries');
      mez.log(`${rows.length} sites have entries`);
    }),
    {
      ...scheduled('Exports:deliver', `${minute} ${hour} * * *`, async (mez) => {
        if (isFailing) throw outboundTimeout('https://warehouse.example.com/deliveries');
        mez.log('delivered');
      }),
      ...(isFailing && { alwaysFails: true }),
    },
    scheduled(`${subject}s:archive`, `${minute} ${hour} * * 1-5`, async (mez) => mez.log('nothing is old enough')),
    scheduled(`${subject}s:remind`, `${minute} 6 * * 1-5`, async (mez) => mez.log('no reminders are due')),
    scheduled('Reports:weekly', `${minute} 5 * * 1`, async (mez) => mez.log('sent to 3 people')),
  ];
}
