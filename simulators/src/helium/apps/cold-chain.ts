import type { AppTemplate } from '../definition.ts';
import {
  between,
  bool,
  chance,
  choice,
  datetime,
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

export const coldChain: AppTemplate = {
  name: 'Vaccine Cold Chain',
  schema: 'cold_chain',
  host: 'coldchain',
  objects: [
    persistentObject(
      'Store',
      { rows: 60 },
      { name: string(placeName('Clinic', 'Depot')), province: string(provinces) },
    ),
    persistentObject(
      'Fridge',
      { rows: 150, toOne: { store: 'Store' } },
      {
        serialNumber: string(numbered('VLS', 6)),
        model: string(pick('Vestfrost VLS 204', 'Dometic TCW 40', 'B Medical TCW 15')),
        working: bool(chance(95)),
      },
    ),
    persistentObject(
      'Reading',
      { rows: 3000, toOne: { fridge: 'Fridge' } },
      { celsius: decimal(money(1, 9)), takenAt: datetime(daysAgo(0, 3)), battery: int(between(20, 100)) },
    ),
    persistentObject(
      'Alarm',
      { rows: 120, toOne: { fridge: 'Fridge' } },
      {
        kind: string(pick('Too warm', 'Freezing', 'No signal')),
        state: choice(pick('Raised', 'Acknowledged', 'Closed')),
        raisedAt: datetime(daysAgo(0, 40)),
      },
    ),
  ],
  views: [
    {
      name: 'fridge_day',
      materialized: true,
      sql: `select fridge_fk, takenat::date as day, min(celsius) as coldest, max(celsius) as warmest, count(*)::int as readings from reading group by 1, 2`,
    },
    {
      name: 'open_alarm',
      materialized: false,
      sql: `select a.*, f.serialnumber from alarm a join fridge f on f._id_ = a.fridge_fk where a.state <> 'Closed'`,
    },
  ],
  functions: [
    scheduled('Readings:collect', '* * * * *', async (mez) => {
      const taken = await mez.sql(
        `insert into reading (_id_, _tstamp_, celsius, takenat, battery, fridge_fk)
         select gen_random_uuid(), ${now}, 2 + random() * 7, ${now}, (40 + random() * 60)::int, _id_ from fridge order by random() limit 6`,
      );
      await mez.sql(allButNewest('reading', 3500));
      mez.log(`collected ${taken} readings`);
    }),
    scheduled('Alarms:raise', '*/2 * * * *', async (mez) => {
      const raised = await mez.sql(
        `insert into alarm (_id_, _tstamp_, kind, state, raisedat, fridge_fk)
         select gen_random_uuid(), ${now}, 'Too warm', 'Raised', ${now}, fridge_fk from reading
         where celsius > 8.8 and takenat > ${now} - interval '2 minutes' limit 3`,
      );
      await mez.sql(allButNewest('alarm', 300));
      if (raised > 0) mez.error(`${raised} fridges are above 8 °C`);
    }),
    scheduled('Alarms:closeResolved', '*/20 * * * *', async (mez) => {
      mez.log(
        `closed ${await mez.sql(`update alarm set state = 'Closed', _tstamp_ = ${now} where state = 'Acknowledged'`)} alarms`,
      );
    }),
    {
      // Shows in a new demo how a failure is found and followed.
      ...scheduled('Loggers:pollVendor', '*/10 * * * *', async (mez) => {
        mez.log('asking the vendor for the devices that are online');
        await mez.outboundCall(500);
        throw outboundTimeout('https://loggers.example.net/v2/devices');
      }),
      alwaysFails: true,
    },
    scheduled('Reports:refreshFridgeDays', '10 * * * *', async (mez) => {
      await mez.sql('refresh materialized view fridge_day');
      mez.log('fridge_day refreshed');
    }),
    scheduled('Reports:monthlyCompliance', '0 5 1 * *', async (mez) => {
      const rows = await mez.select(
        `select fridge_fk, avg(case when celsius between 2 and 8 then 1.0 else 0 end) as share from reading group by 1`,
      );
      mez.log(`compliance of ${rows.length} fridges computed`);
    }),
  ],
  chatter: [
    ['INFO', 'Reading of VLS000{n}: 4.{n} °C'],
    ['INFO', 'Heartbeat of logger {n}'],
    ['WARNING', 'Battery of logger {n} below 20 %'],
    ['SEVERE', 'No reading of VLS000{n} for 6 hours'],
  ],
};
