import type { AppTemplate } from '../definition.ts';
import {
  bool,
  chance,
  choice,
  date,
  datetime,
  daysAgo,
  decimal,
  inTurn,
  money,
  numbered,
  persistentObject,
  phoneNumber,
  pick,
  string,
} from '../model.ts';
import { allButNewest, now, placeName, provinces, scheduled } from './vocabulary.ts';

export const farmerInputs: AppTemplate = {
  name: 'Farmer Input Vouchers',
  schema: 'farmer_inputs',
  host: 'inputs',
  objects: [
    persistentObject(
      'Season',
      { rows: 4 },
      { name: string(inTurn('2023/24', '2024/25', '2025/26', '2026/27')), startsOn: date(daysAgo(-100, 900)) },
    ),
    persistentObject(
      'AgroDealer',
      { rows: 90 },
      {
        name: string(placeName('Agro Supplies', 'Co-op', 'Farm Store')),
        province: string(provinces),
        approved: bool(chance(90)),
      },
    ),
    persistentObject(
      'Farmer',
      { rows: 1200, role: true },
      {
        nationalId: string(numbered('NRC', 8)),
        mobileNumber: string(phoneNumber('26097')),
        hectares: decimal(money(1, 12)),
      },
    ),
    persistentObject(
      'Voucher',
      { rows: 1800, toOne: { farmer: 'Farmer', season: 'Season' } },
      {
        code: string(numbered('EV', 8)),
        amount: decimal(money(200, 2000)),
        state: choice(inTurn('Issued', 'Redeemed', 'Redeemed', 'Expired')),
        issuedOn: date(daysAgo(0, 200)),
      },
    ),
    persistentObject(
      'Redemption',
      { rows: 800, toOne: { voucher: 'Voucher', dealer: 'AgroDealer' } },
      {
        goods: string(pick('D-Compound 50 kg', 'Urea 50 kg', 'Maize seed 10 kg', 'Soya seed 25 kg')),
        paid: bool(chance(80)),
        redeemedAt: datetime(daysAgo(0, 90)),
      },
    ),
  ],
  views: [
    {
      name: 'dealer_claims',
      materialized: true,
      sql: `select d._id_ as dealer, d.name, count(r._id_)::int as redemptions, coalesce(sum(v.amount), 0) as owed
            from agrodealer d left join redemption r on r.dealer_fk = d._id_ and not r.paid left join voucher v on v._id_ = r.voucher_fk group by d._id_`,
    },
  ],
  functions: [
    scheduled('Redemptions:process', '* * * * *', async (mez) => {
      const redeemed = await mez.sql(
        `with chosen as (update voucher set state = 'Redeemed', _tstamp_ = ${now}
           where _id_ in (select _id_ from voucher where state = 'Issued' order by random() limit 2) returning _id_)
         insert into redemption (_id_, _tstamp_, goods, paid, redeemedat, voucher_fk, dealer_fk)
         select gen_random_uuid(), ${now}, 'Urea 50 kg', false, ${now}, _id_, (select _id_ from agrodealer order by random() limit 1) from chosen`,
      );
      await mez.sql(allButNewest('redemption', 1500));
      mez.log(`${redeemed} vouchers redeemed`);
    }),
    scheduled('Vouchers:issue', '*/3 * * * *', async (mez) => {
      await mez.sql(
        `insert into voucher (_id_, _tstamp_, code, amount, state, issuedon, farmer_fk, season_fk)
         select gen_random_uuid(), ${now}, 'EV' || (10000000 + random() * 89999999)::int, 1700, 'Issued', current_date, f._id_,
                (select _id_ from season order by name desc limit 1) from farmer f order by random() limit 6`,
      );
      await mez.sql(allButNewest('voucher', 2200));
      mez.log('issued 6 vouchers');
    }),
    scheduled('Payments:payDealers', '0 */2 * * *', async (mez) => {
      const paid = await mez.sql(`update redemption set paid = true, _tstamp_ = ${now} where not paid`);
      // A season without redemptions divides by zero: a deliberate, undetected bug.
      if (mez.happens(25)) await mez.sql('select 1700 / count(*) from voucher where false');
      mez.log(`paid ${paid} redemptions`);
    }),
    scheduled('Payments:reconcile', '*/10 * * * *', async (mez) => {
      await mez.sql('refresh materialized view dealer_claims');
      const [most] = await mez.select<{ name: string; owed: number }>(
        'select name, owed from dealer_claims order by owed desc limit 1',
      );
      mez.log(`highest claim: ${most?.name} with ${Math.round(most?.owed ?? 0)}`);
    }),
    scheduled('Vouchers:expire', '30 0 * * *', async (mez) => {
      mez.log(
        `${await mez.sql(`update voucher set state = 'Expired', _tstamp_ = ${now} where state = 'Issued' and issuedon < current_date - 120`)} vouchers expired`,
      );
    }),
    scheduled('Registration:findTwins', '40 */4 * * *', async (mez) => {
      const twins = await mez.select(
        `select a.nationalid from farmer a join farmer b on a._surname = b._surname and a._firstnames = b._firstnames and a._id_ < b._id_
         and abs(a.hectares - b.hectares) < 0.05 limit 50`,
      );
      mez.warn(`${twins.length} farmers may be duplicates`);
    }),
  ],
  chatter: [
    ['INFO', 'USSD session {n} ended after 4 steps'],
    ['INFO', 'Voucher EV00000{n} looked up by dealer'],
    ['WARNING', 'Dealer {n} tried an expired voucher'],
    ['SEVERE', 'Mobile money callback {n} has an unknown reference'],
  ],
};
