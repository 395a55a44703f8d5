import type { AppTemplate } from '../definition.ts';
import {
  between,
  blob,
  bool,
  chance,
  datetime,
  daysAgo,
  decimal,
  inTurn,
  int,
  money,
  none,
  numbered,
  persistentObject,
  pick,
  string,
} from '../model.ts';
import { allButNewest, now, outboundTimeout, placeName, provinces, scheduled } from './vocabulary.ts';

export const stockVisibility: AppTemplate = {
  name: 'Stock Visibility',
  schema: 'stock_visibility',
  host: 'stock',
  objects: [
    persistentObject('Province', { rows: 9 }, { name: string(provinces) }),
    persistentObject(
      'Facility',
      { rows: 140, toOne: { province: 'Province' } },
      {
        name: string(placeName('Clinic', 'Hospital', 'Health Post')),
        code: string(numbered('F', 4)),
        deleted: string(inTurn('No')),
      },
    ),
    persistentObject(
      'Product',
      { rows: 24 },
      {
        name: string(
          pick(
            'Amoxicillin 250 mg',
            'Paracetamol 500 mg',
            'ORS sachet',
            'Artemether 20 mg',
            'Tenofovir 300 mg',
            'Zinc 20 mg',
          ),
        ),
        sku: string(numbered('SKU-', 5)),
        unitPrice: decimal(money(1, 90)),
      },
    ),
    persistentObject(
      'StockItem',
      { rows: 2400, toOne: { facility: 'Facility', product: 'Product' } },
      {
        onHand: int(between(0, 400)),
        minimum: int(between(10, 60)),
        countedOn: datetime(daysAgo(0, 20)),
        expired: bool(chance(3)),
      },
    ),
    persistentObject(
      'StockEvent',
      { rows: 900, toOne: { stockItem: 'StockItem' } },
      {
        kind: string(pick('Received', 'Issued', 'Counted', 'Lost')),
        quantity: int(between(1, 80)),
        happenedAt: datetime(daysAgo(0, 30)),
        photo: blob(none),
      },
    ),
  ],
  views: [
    {
      name: 'stock_on_hand',
      materialized: true,
      sql: `select p.sku, f.code as facility, sum(s.onhand)::int as on_hand, bool_or(s.onhand < s.minimum) as low
            from stockitem s join product p on p._id_ = s.product_fk join facility f on f._id_ = s.facility_fk group by p.sku, f.code`,
    },
    {
      name: 'silent_facility',
      materialized: false,
      sql: `select f.name, max(s.countedon) as last_count from facility f left join stockitem s on s.facility_fk = f._id_
            group by f.name having max(s.countedon) < ${now} - interval '14 days'`,
    },
  ],
  functions: [
    scheduled('StockAlerts:sendLowStock', '* * * * *', async (mez) => {
      const low = await mez.select<{ name: string; items: number }>(
        `select f.name, count(*)::int as items from stockitem s join facility f on f._id_ = s.facility_fk
         where s.onhand < s.minimum group by f.name order by items desc limit 3`,
      );
      for (const { name, items } of low) mez.warn(`${name} is low on ${items} items`);
    }),
    scheduled('StockCounts:importCounts', '*/2 * * * *', async (mez) => {
      const counted = await mez.sql(
        `update stockitem set onhand = greatest(0, onhand + (random() * 40 - 18)::int), countedon = ${now}, _tstamp_ = ${now}
         where _id_ in (select _id_ from stockitem order by random() limit 4)`,
      );
      await mez.sql(
        `insert into stockevent (_id_, _tstamp_, kind, quantity, happenedat, stockitem_fk)
         select gen_random_uuid(), ${now}, 'Counted', onhand, ${now}, _id_ from stockitem order by countedon desc limit 4`,
      );
      await mez.sql(allButNewest('stockevent', 1200));
      mez.log(`imported ${counted} stock counts`);
    }),
    scheduled('Reports:refreshStockOnHand', '*/10 * * * *', async (mez) => {
      await mez.sql('refresh materialized view stock_on_hand');
      mez.log('stock_on_hand refreshed');
    }),
    scheduled('Reports:exportStockOnHand', '5,35 6-18 * * 1-5', async (mez) => {
      const rows = await mez.select('select * from stock_on_hand');
      mez.log(`exported ${rows.length} lines`);
    }),
    scheduled('Reports:suggestTransfers', '20 * * * *', async (mez) => {
      // Compares every surplus with every shortage, which makes this the slow report.
      const transfers = await mez.select(
        `select short._id_ as short, rich._id_ as rich from stockitem short join stockitem rich
           on rich.onhand - rich.minimum > 2 * (short.minimum - short.onhand) and short.onhand < short.minimum
         order by rich.onhand - short.onhand desc, 1, 2 limit 200`,
      );
      mez.log(`suggested ${transfers.length} transfers between facilities`);
    }),
    scheduled('Integrations:pushToWarehouse', '*/5 * * * *', async (mez) => {
      mez.log('calling https://warehouse.example.org/api/orders');
      await mez.outboundCall(300);
      if (mez.happens(15)) throw outboundTimeout('https://warehouse.example.org/api/orders');
      mez.log('warehouse accepted 3 orders');
    }),
    scheduled('Nightly:closeOldEvents', '15 2 * * *', async (mez) => {
      const closed = await mez.sql(`delete from stockevent where happenedat < ${now} - interval '25 days'`);
      mez.log(`closed ${closed} events`);
    }),
  ],
  chatter: [
    ['INFO', 'Stock count received from facility F{n}'],
    ['INFO', 'Order {n} confirmed by depot'],
    ['INFO', 'Web view StockTake rendered in {n} ms'],
    ['WARNING', 'Facility F{n} has not reported for 14 days'],
    ['SEVERE', 'SMS to +27 82 555 0{n} rejected by gateway: invalid destination'],
    ['Runtime Error', '[StockCounts:88] Attribute onHand of null'],
  ],
};
