import type { AppTemplate } from '../definition.ts';
import {
  bool,
  chance,
  date,
  daysAgo,
  inTurn,
  numbered,
  persistentObject,
  phoneNumber,
  pick,
  string,
} from '../model.ts';
import { allButNewest, now, nullAttribute, placeName, provinces, scheduled } from './vocabulary.ts';

export const livestock: AppTemplate = {
  name: 'Livestock Traceability',
  schema: 'livestock',
  host: 'livestock',
  objects: [
    persistentObject(
      'Farm',
      { rows: 110 },
      { name: string(placeName('Farm', 'Ranch')), province: string(provinces), quarantined: bool(chance(4)) },
    ),
    persistentObject(
      'Veterinarian',
      { rows: 25, role: true, toMany: { farms: 'Farm' } },
      { mobileNumber: string(phoneNumber('2784')) },
    ),
    persistentObject(
      'Animal',
      { rows: 2600, toOne: { farm: 'Farm' } },
      {
        earTag: string(numbered('ZA', 9)),
        species: string(inTurn('Cattle', 'Cattle', 'Goat', 'Sheep')),
        breed: string(pick('Nguni', 'Bonsmara', 'Brahman', 'Boer goat', 'Dorper')),
        bornOn: date(daysAgo(60, 2500)),
      },
    ),
    persistentObject(
      'Treatment',
      { rows: 1300, toOne: { animal: 'Animal', veterinarian: 'Veterinarian' } },
      { kind: string(pick('Dipping', 'FMD vaccine', 'Deworming', 'Anthrax vaccine')), givenOn: date(daysAgo(0, 300)) },
    ),
    persistentObject(
      'Movement',
      { rows: 500, toOne: { animal: 'Animal', destination: 'Farm' } },
      { permit: string(numbered('MP', 7)), movedOn: date(daysAgo(0, 200)) },
    ),
  ],
  views: [
    {
      name: 'herd',
      materialized: true,
      sql: 'select farm_fk, species, count(*)::int as animals from animal group by 1, 2',
    },
  ],
  functions: [
    scheduled('Treatments:record', '* * * * *', async (mez) => {
      await mez.sql(
        `insert into treatment (_id_, _tstamp_, kind, givenon, animal_fk, veterinarian_fk)
         select gen_random_uuid(), ${now}, 'Dipping', current_date, a._id_, (select _id_ from veterinarian order by random() limit 1)
         from animal a order by random() limit 3`,
      );
      await mez.sql(allButNewest('treatment', 1800));
      mez.log('recorded 3 treatments');
    }),
    scheduled('Movements:permit', '*/5 * * * *', async (mez) => {
      if (mez.happens(10)) throw nullAttribute('destination');
      const moved = await mez.sql(
        `update animal set farm_fk = (select _id_ from farm where not quarantined order by random() limit 1), _tstamp_ = ${now}
         where _id_ in (select _id_ from animal order by random() limit 2)`,
      );
      mez.log(`${moved} animals moved`);
    }),
    scheduled('Herds:count', '*/15 * * * *', async (mez) => {
      await mez.sql('refresh materialized view herd');
      const [sum] = await mez.select<{ animals: number }>('select sum(animals)::int as animals from herd');
      mez.log(`${sum?.animals} animals in all herds`);
    }),
    scheduled('Disease:contactTrace', '25 * * * *', async (mez) => {
      const contacts = await mez.select(
        `select distinct b.eartag from animal a join farm f on f._id_ = a.farm_fk and f.quarantined
         join movement m on m.animal_fk = a._id_ join animal b on b.farm_fk = m.destination_fk limit 400`,
      );
      mez.warn(`${contacts.length} animals had contact with a quarantined herd`);
    }),
    scheduled('Nightly:lapseVaccinations', '50 2 * * *', async (mez) => {
      mez.log(`${await mez.sql(`delete from treatment where givenon < current_date - 280`)} vaccinations lapsed`);
    }),
  ],
  chatter: [
    ['INFO', 'Ear tag ZA000000{n} scanned'],
    ['INFO', 'Movement permit MP0000{n} printed'],
    ['WARNING', 'Farm {n} has no dipping record for 60 days'],
    ['SEVERE', 'Reader {n} sent a tag of the wrong country'],
  ],
};
