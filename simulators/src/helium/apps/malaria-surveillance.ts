import type { AppTemplate } from '../definition.ts';
import {
  between,
  bool,
  chance,
  date,
  daysAgo,
  decimal,
  int,
  money,
  numbered,
  persistentObject,
  pick,
  string,
} from '../model.ts';
import { allButNewest, now, outboundTimeout, placeName, provinces, scheduled } from './vocabulary.ts';

export const malariaSurveillance: AppTemplate = {
  name: 'Malaria Case Surveillance',
  schema: 'malaria_surveillance',
  host: 'malaria',
  objects: [
    persistentObject(
      'Facility',
      { rows: 95 },
      {
        name: string(placeName('Clinic', 'Health Post')),
        province: string(provinces),
        latitude: decimal(money(1, 30)),
        longitude: decimal(money(22, 33)),
      },
    ),
    persistentObject(
      'MalariaCase',
      { rows: 1500, toOne: { facility: 'Facility' } },
      {
        caseNumber: string(numbered('MC', 6)),
        age: int(between(0, 80)),
        test: string(pick('RDT positive', 'RDT negative', 'Microscopy')),
        traveled: bool(chance(30)),
        reportedOn: date(daysAgo(0, 180)),
      },
    ),
    persistentObject(
      'Investigation',
      { rows: 400, toOne: { malariaCase: 'MalariaCase' } },
      { classification: string(pick('Local', 'Imported', 'Unknown')), householdsScreened: int(between(0, 25)) },
    ),
  ],
  views: [
    {
      name: 'weekly_incidence',
      materialized: true,
      sql: `select facility_fk, date_trunc('week', reportedon)::date as week, count(*)::int as cases from malariacase where test <> 'RDT negative' group by 1, 2`,
    },
  ],
  functions: [
    scheduled('Cases:receive', '* * * * *', async (mez) => {
      await mez.sql(
        `insert into malariacase (_id_, _tstamp_, casenumber, age, test, traveled, reportedon, facility_fk)
         select gen_random_uuid(), ${now}, 'MC' || (100000 + random() * 899999)::int, (random() * 70)::int, 'RDT positive', random() < 0.3, current_date, _id_
         from facility order by random() limit 2`,
      );
      await mez.sql(allButNewest('malariacase', 1800));
      mez.log('received 2 case notifications');
    }),
    scheduled('Outbreaks:detect', '*/10 * * * *', async (mez) => {
      await mez.sql('refresh materialized view weekly_incidence');
      const hot = await mez.select(
        'select facility_fk from weekly_incidence where cases > 3 order by week desc limit 5',
      );
      if (hot.length > 0) mez.warn(`${hot.length} facilities are above their threshold`);
    }),
    scheduled('Cases:assignInvestigations', '*/6 * * * *', async (mez) => {
      const opened = await mez.sql(
        `insert into investigation (_id_, _tstamp_, classification, householdsscreened, malariacase_fk)
         select gen_random_uuid(), ${now}, 'Unknown', 0, c._id_ from malariacase c
         where not exists (select from investigation i where i.malariacase_fk = c._id_) order by c._tstamp_ desc limit 3`,
      );
      await mez.sql(allButNewest('investigation', 900));
      mez.log(`opened ${opened} investigations`);
    }),
    scheduled('National:pushToDhis', '12,42 * * * *', async (mez) => {
      await mez.outboundCall(600);
      if (mez.happens(25)) throw outboundTimeout('https://dhis.example.org/api/dataValueSets');
      mez.log('pushed weekly totals');
    }),
    scheduled('Nightly:deduplicate', '0 3 * * *', async (mez) => {
      const twins = await mez.select(
        'select a._id_ from malariacase a join malariacase b on a.facility_fk = b.facility_fk and a.reportedon = b.reportedon and a.age = b.age and a._id_ < b._id_ limit 900',
      );
      mez.log(`${twins.length} cases may be reported twice`);
    }),
  ],
  chatter: [
    ['INFO', 'Case MC000{n} notified by SMS'],
    ['INFO', 'Map tile {n} rendered'],
    ['WARNING', 'Facility {n} is 3 days late with its report'],
    ['SEVERE', 'SMS {n} could not be understood: "rdt pos x"'],
  ],
};
