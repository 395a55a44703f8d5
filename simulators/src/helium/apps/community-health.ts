import type { AppTemplate } from '../definition.ts';
import {
  between,
  bool,
  chance,
  choice,
  date,
  datetime,
  daysAgo,
  inTurn,
  int,
  numbered,
  persistentObject,
  phoneNumber,
  pick,
  string,
} from '../model.ts';
import { deviceOfUser } from './device-attributes.ts';
import { allButNewest, now, nullAttribute, placeName, provinces, scheduled, town } from './vocabulary.ts';

export const communityHealth: AppTemplate = {
  name: 'Community Health Visits',
  schema: 'community_health',
  host: 'visits',
  objects: [
    persistentObject('District', { rows: 12 }, { name: string(town), province: string(provinces) }),
    persistentObject(
      'HealthWorker',
      { rows: 80, role: true, toOne: { district: 'District' }, toMany: { coveredDistricts: 'District' } },
      { mobileNumber: string(phoneNumber('2782')), active: bool(chance(92)), ...deviceOfUser },
    ),
    persistentObject(
      'Household',
      { rows: 700, toOne: { district: 'District' } },
      { reference: string(numbered('HH', 6)), village: string(placeName('Village')), members: int(between(1, 11)) },
    ),
    persistentObject(
      'Visit',
      { rows: 2200, toOne: { household: 'Household', healthWorker: 'HealthWorker' } },
      {
        status: choice(pick('Planned', 'Open', 'Closed', 'Closed')),
        visitedOn: date(daysAgo(0, 120)),
        closedAt: datetime(daysAgo(0, 60)),
        pregnant: bool(chance(12)),
      },
    ),
    persistentObject(
      'Referral',
      { rows: 350, toOne: { visit: 'Visit' } },
      {
        reason: string(pick('Fever', 'Antenatal', 'Malnutrition', 'TB screening')),
        attended: string(inTurn('Yes', 'No', 'No')),
      },
    ),
    persistentObject(
      'ReminderQueue',
      { rows: 60, tracked: false },
      { destination: string(phoneNumber('2760')), attempts: int(between(0, 3)) },
    ),
  ],
  views: [
    {
      name: 'visits_per_worker',
      materialized: true,
      sql: `select w._id_ as worker, w._firstnames || ' ' || w._surname as name, count(v._id_)::int as visits
            from healthworker w left join visit v on v.healthworker_fk = w._id_ group by w._id_`,
    },
  ],
  functions: [
    scheduled('Visits:planTomorrow', '* * * * *', async (mez) => {
      await mez.sql(
        `insert into visit (_id_, _tstamp_, status, visitedon, household_fk, healthworker_fk)
         select gen_random_uuid(), ${now}, 'Planned', current_date + 1, h._id_, (select _id_ from healthworker order by random() limit 1)
         from household h order by random() limit 2`,
      );
      await mez.sql(allButNewest('visit', 2500));
      mez.log('planned 2 visits for tomorrow');
    }),
    scheduled('Visits:openPlanned', '*/3 * * * *', async (mez) => {
      const opened = await mez.sql(
        `update visit set status = 'Open', _tstamp_ = ${now} where _id_ in (select _id_ from visit where status = 'Planned' limit 5)`,
      );
      mez.log(`opened ${opened} visits`);
    }),
    scheduled('Reminders:sendReferralReminders', '*/5 7-19 * * *', async (mez) => {
      const due = await mez.select(
        `select r._id_ from referral r join visit v on v._id_ = r.visit_fk where r.attended = 'No'`,
      );
      if (mez.happens(10)) throw nullAttribute('mobileNumber');
      mez.log(`${due.length} referrals to remind of`);
    }),
    scheduled('Statistics:workload', '*/15 * * * *', async (mez) => {
      await mez.sql('refresh materialized view visits_per_worker');
      const [busiest] = await mez.select<{ name: string; visits: number }>(
        'select name, visits from visits_per_worker order by visits desc limit 1',
      );
      mez.log(`${busiest?.name} has the most visits: ${busiest?.visits}`);
    }),
    scheduled('Statistics:duplicateHouseholds', '20 * * * *', async (mez) => {
      const pairs = await mez.select(
        `select a.reference from household a join household b on a._id_ < b._id_ and a.district_fk = b.district_fk
         and left(a.village, 12) = left(b.village, 12) limit 20`,
      );
      mez.warn(`${pairs.length} households may be registered twice`);
    }),
    scheduled('Nightly:closeOldVisits', '15 2 * * *', async (mez) => {
      const closed = await mez.sql(
        `update visit set status = 'Closed', closedat = ${now}, _tstamp_ = ${now} where status = 'Open' and visitedon < current_date - 30`,
      );
      mez.log(`closed ${closed} visits older than 30 days`);
    }),
    scheduled('Nightly:archiveReminders', '45 1 * * 1-6', async (mez) => {
      mez.log(`dropped ${await mez.sql('delete from reminderqueue where attempts >= 3')} reminders`);
    }),
  ],
  chatter: [
    ['INFO', 'Visit synchronized from device {n}'],
    ['INFO', 'Referral slip printed for HH000{n}'],
    ['INFO', 'Signed in: health worker {n}'],
    ['WARNING', 'Device {n} reports a clock 7 minutes behind'],
    ['SEVERE', 'Push notification {n} failed: device not registered'],
  ],
};
