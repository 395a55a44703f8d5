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
  required,
  string,
} from '../model.ts';
import { allButNewest, now, nullAttribute, outboundTimeout, placeName, scheduled } from './vocabulary.ts';

export const chronicMedicine: AppTemplate = {
  name: 'Chronic Medicine Dispensing',
  schema: 'chronic_medicine',
  host: 'dispensing',
  objects: [
    persistentObject(
      'PickupPoint',
      { rows: 70 },
      { name: string(placeName('Pharmacy', 'Clinic', 'Post Office')), lockers: int(between(0, 60)) },
    ),
    persistentObject(
      'Patient',
      { rows: 900, role: true, toOne: { pickupPoint: 'PickupPoint' } },
      { fileNumber: string(numbered('P', 7)), mobileNumber: string(phoneNumber('2773')), consent: bool(chance(97)) },
    ),
    persistentObject(
      'Prescription',
      { rows: 1100, toOne: { patient: 'Patient' } },
      {
        medicine: string(pick('TLD', 'Metformin', 'Amlodipine', 'Enalapril', 'Insulin')),
        repeats: int(between(0, 6)),
        validUntil: date(daysAgo(-150, 10)),
      },
    ),
    persistentObject(
      'Parcel',
      { rows: 1600, toOne: { prescription: 'Prescription', pickupPoint: 'PickupPoint' } },
      {
        barcode: required(string(numbered('CCMDD', 8))),
        state: choice(inTurn('Packed', 'Delivered', 'Collected', 'Collected', 'Returned')),
        deliveredAt: datetime(daysAgo(0, 45)),
      },
    ),
  ],
  views: [
    {
      name: 'parcels_waiting',
      materialized: true,
      sql: `select pickuppoint_fk, count(*)::int as parcels from parcel where state = 'Delivered' group by 1`,
    },
  ],
  functions: [
    scheduled('Parcels:pack', '* * * * *', async (mez) => {
      await mez.sql(
        `insert into parcel (_id_, _tstamp_, barcode, state, prescription_fk, pickuppoint_fk)
         select gen_random_uuid(), ${now}, 'CCMDD' || (10000000 + random() * 89999999)::int, 'Packed', r._id_, p.pickuppoint_fk
         from prescription r join patient p on p._id_ = r.patient_fk where r.repeats > 0 order by random() limit 3`,
      );
      await mez.sql(allButNewest('parcel', 2000));
      mez.log('packed 3 parcels');
    }),
    scheduled('Parcels:importDeliveries', '*/4 * * * *', async (mez) => {
      await mez.outboundCall(250);
      if (mez.happens(12)) throw outboundTimeout('https://courier.example.com/manifest');
      const delivered = await mez.sql(
        `update parcel set state = 'Delivered', deliveredat = ${now}, _tstamp_ = ${now}
         where _id_ in (select _id_ from parcel where state = 'Packed' order by _tstamp_ limit 8)`,
      );
      mez.log(`${delivered} parcels delivered`);
    }),
    scheduled('Messages:readyForCollection', '*/6 8-17 * * 1-6', async (mez) => {
      if (mez.happens(8)) throw nullAttribute('mobileNumber');
      const notified = await mez.sql(
        `insert into __sms_result__ (_id_, _tstamp_, datetimestampstarted, datetimestampfinished, destination, success)
         select gen_random_uuid(), ${now}, ${now}, ${now}, mobilenumber, true from patient order by random() limit 4`,
      );
      await mez.sql(allButNewest('__sms_result__', 500));
      mez.log(`sent ${notified} messages`);
    }),
    scheduled('Parcels:returnUncollected', '30 3 * * *', async (mez) => {
      const returned = await mez.sql(
        `update parcel set state = 'Returned', _tstamp_ = ${now} where state = 'Delivered' and deliveredat < ${now} - interval '14 days'`,
      );
      mez.warn(`${returned} parcels go back`);
    }),
    scheduled('Reports:refreshWaiting', '*/15 * * * *', async (mez) => {
      await mez.sql('refresh materialized view parcels_waiting');
      mez.log('parcels_waiting refreshed');
    }),
    scheduled('Prescriptions:expire', '0 1 * * *', async (mez) => {
      mez.log(
        `${await mez.sql(`update prescription set repeats = 0, _tstamp_ = ${now} where validuntil < current_date and repeats > 0`)} prescriptions expired`,
      );
    }),
  ],
  chatter: [
    ['INFO', 'Parcel CCMDD00{n} scanned at pick-up point'],
    ['INFO', 'One-time PIN sent to patient P0000{n}'],
    ['WARNING', 'Locker {n} does not respond'],
    ['SEVERE', 'Prescription {n} refused: no repeats left'],
    ['Runtime Error', '[Parcels:141] Attribute pickupPoint of null'],
  ],
};
