import type { AppTemplate } from '../definition.ts';
import {
  between,
  bool,
  chance,
  datetime,
  daysAgo,
  decimal,
  inTurn,
  int,
  money,
  numbered,
  persistentObject,
  pick,
  string,
} from '../model.ts';
import { allButNewest, now, outboundTimeout, placeName, scheduled } from './vocabulary.ts';

export const grainCollection: AppTemplate = {
  name: 'Grain Collection',
  schema: 'grain_collection',
  host: 'grain',
  objects: [
    persistentObject(
      'Depot',
      { rows: 40 },
      { name: string(placeName('Depot', 'Silo')), capacityTons: int(between(200, 9000)) },
    ),
    persistentObject(
      'Grower',
      { rows: 800, role: true, toOne: { depot: 'Depot' } },
      { growerNumber: string(numbered('G', 6)) },
    ),
    persistentObject(
      'Delivery',
      { rows: 2000, toOne: { depot: 'Depot', grower: 'Grower' } },
      {
        ticket: string(numbered('T', 8)),
        crop: string(pick('White maize', 'Yellow maize', 'Soya', 'Wheat', 'Sorghum')),
        kilograms: int(between(500, 32000)),
        moisture: decimal(money(9, 18)),
        weighedAt: datetime(daysAgo(0, 60)),
      },
    ),
    persistentObject(
      'Grading',
      { rows: 1500, toOne: { delivery: 'Delivery' } },
      { grade: string(inTurn('WM1', 'WM2', 'WM1', 'WM3')), accepted: bool(chance(93)) },
    ),
  ],
  views: [
    {
      name: 'depot_balance',
      materialized: true,
      sql: 'select d._id_ as depot, d.name, d.capacitytons, (sum(v.kilograms) / 1000)::int as tons from depot d left join delivery v on v.depot_fk = d._id_ group by d._id_',
    },
    { name: 'wet_delivery', materialized: false, sql: 'select * from delivery where moisture > 14' },
  ],
  functions: [
    scheduled('Weighbridge:import', '* * * * *', async (mez) => {
      await mez.sql(
        `insert into delivery (_id_, _tstamp_, ticket, crop, kilograms, moisture, weighedat, depot_fk, grower_fk)
         select gen_random_uuid(), ${now}, 'T' || (10000000 + random() * 89999999)::int, 'White maize', (500 + random() * 30000)::int, 9 + random() * 8, ${now}, depot_fk, _id_
         from grower order by random() limit 3`,
      );
      await mez.sql(allButNewest('delivery', 2400));
      mez.log('imported 3 weighbridge tickets');
    }),
    scheduled('Grading:gradeNew', '*/3 * * * *', async (mez) => {
      const graded = await mez.sql(
        `insert into grading (_id_, _tstamp_, grade, accepted, delivery_fk)
         select gen_random_uuid(), ${now}, case when moisture < 12.5 then 'WM1' else 'WM2' end, moisture < 14, v._id_
         from delivery v where not exists (select from grading g where g.delivery_fk = v._id_) order by v._tstamp_ desc limit 9`,
      );
      await mez.sql(allButNewest('grading', 2400));
      mez.log(`graded ${graded} deliveries`);
    }),
    scheduled('Prices:fetchFutures', '0 9-16 * * 1-5', async (mez) => {
      await mez.outboundCall(400);
      if (mez.happens(30)) throw outboundTimeout('https://exchange.example.com/wmaz/futures');
      mez.log('white maize futures: 4 812 per ton');
    }),
    scheduled('Depots:balance', '*/10 * * * *', async (mez) => {
      await mez.sql('refresh materialized view depot_balance');
      const full = await mez.select<{ name: string }>(
        'select name from depot_balance where tons > capacitytons limit 5',
      );
      for (const { name } of full) mez.warn(`${name} is over its capacity`);
    }),
    scheduled('Statements:monthly', '0 4 28 * *', async (mez) => {
      const rows = await mez.select(
        `select grower_fk, sum(kilograms) from delivery where weighedat > ${now} - interval '30 days' group by 1`,
      );
      mez.log(`statements for ${rows.length} growers`);
    }),
  ],
  chatter: [
    ['INFO', 'Weighbridge ticket T0000{n} received'],
    ['INFO', 'Truck {n} entered the depot'],
    ['WARNING', 'Moisture of sample {n} above 14 %'],
    ['SEVERE', 'Weighbridge {n} sent a negative tare'],
  ],
};
