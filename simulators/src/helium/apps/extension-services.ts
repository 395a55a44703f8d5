import type { AppTemplate } from '../definition.ts';
import { between, date, daysAgo, int, numbered, persistentObject, phoneNumber, pick, string } from '../model.ts';
import { container, session, userOfDevices } from './device-attributes.ts';
import { allButNewest, now, placeName, scheduled, town } from './vocabulary.ts';

export const extensionServices: AppTemplate = {
  name: 'Field Extension Services',
  schema: 'extension_services',
  host: 'extension',
  objects: [
    persistentObject('Camp', { rows: 30 }, { name: string(placeName('Camp')), district: string(town) }),
    persistentObject(
      'Officer',
      { rows: 60, role: true, toOne: { camp: 'Camp' } },
      { mobileNumber: string(phoneNumber('26096')), ...userOfDevices },
    ),
    persistentObject(
      'FarmerGroup',
      { rows: 240, toOne: { camp: 'Camp' }, toMany: { officers: 'Officer' } },
      { name: string(numbered('Group ', 3)), members: int(between(8, 40)) },
    ),
    persistentObject(
      'Lesson',
      { rows: 700, toOne: { group: 'FarmerGroup', officer: 'Officer' } },
      {
        topic: string(pick('Conservation tillage', 'Fall armyworm', 'Composting', 'Post-harvest storage')),
        heldOn: date(daysAgo(0, 150)),
        attended: int(between(3, 40)),
      },
    ),
    persistentObject('OfficerSession', { rows: 0, tracked: false, toOne: { officer: 'Officer' } }, session),
    persistentObject('OfficerContainer', { rows: 0, tracked: false, toOne: { session: 'OfficerSession' } }, container),
  ],
  views: [
    {
      name: 'attendance',
      materialized: true,
      sql: 'select topic, sum(attended)::int as attended from lesson group by topic',
    },
  ],
  functions: [
    scheduled('Lessons:synchronize', '*/2 * * * *', async (mez) => {
      await mez.sql(
        `insert into lesson (_id_, _tstamp_, topic, heldon, attended, group_fk, officer_fk)
         select gen_random_uuid(), ${now}, 'Fall armyworm', current_date, (5 + random() * 30)::int, g._id_, (select _id_ from officer order by random() limit 1)
         from farmergroup g order by random() limit 2`,
      );
      await mez.sql(allButNewest('lesson', 900));
      mez.log('synchronized 2 lessons');
    }),
    scheduled('Reports:attendance', '*/20 * * * *', async (mez) => {
      await mez.sql('refresh materialized view attendance');
      mez.log('attendance refreshed');
    }),
    scheduled('Officers:weeklyPlan', '0 6 * * 1', async (mez) => {
      mez.log(`planned the week of ${(await mez.select('select _id_ from officer')).length} officers`);
    }),
    scheduled('Weather:alert', '0 5,17 * * *', async (mez) => {
      await mez.outboundCall(300);
      mez.warn('heavy rain expected in 3 camps');
    }),
  ],
  chatter: [
    ['INFO', 'Lesson form received from device {n}'],
    ['INFO', 'Photo of field {n} stored'],
    ['WARNING', 'Lesson {n} has more guests than members'],
  ],
};
