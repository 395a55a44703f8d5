import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectMap } from '../mapping/object-map.ts';
import type { Fields } from '../record/fields.ts';
import { atMs, createHeliumFixture, foreignKey, type HeliumFixture, newId } from './helium-gateway.fixture.ts';

const personalData = 'Thandi, 071 234 5678';
const map: ObjectMap = {
  table: 'farmer',
  model: 'farmer',
  fields: [
    { column: 'name', field: 'name', kind: 'text' },
    { column: 'state', field: 'state', kind: 'text' },
    { column: 'code', field: 'code', kind: 'text', storage: 'char' },
    { column: 'price', field: 'price', kind: 'number', storage: 'numeric' },
    { column: 'rank', field: 'rank', kind: 'integer', storage: 'smallint' },
    { column: 'age', field: 'age', kind: 'integer' },
    { column: 'email', field: 'email', kind: 'text' },
    { column: 'region_fk', field: 'region', kind: 'reference' },
  ],
  toJourney: true,
  toHelium: true,
};
const fields: Fields = {
  name: personalData,
  state: 'new',
  code: null,
  price: null,
  rank: null,
  age: null,
  email: null,
  region_fk: null,
};
const otherId = '00000000-0000-4000-8000-00000000000a';

describe.each(findTestVersions())('refusals of $name', (version) => {
  let server: TestServer;
  let fixture: HeliumFixture;

  beforeAll(async () => {
    server = await version.startExclusive();
    fixture = await createHeliumFixture({
      serverUrl: server.url,
      tables: {
        region: ['name text'],
        audit: ['note text'],
        farmer: [
          'name varchar(64)',
          'state varchar(8) not null',
          'code char(4)',
          'price numeric(12,2)',
          'rank smallint',
          'age integer constraint adult check (age >= 18)',
          'email text',
          'region_fk uuid unique',
        ],
      },
      sql: `${foreignKey('farmer', 'region_fk', 'region')}
        create unique index farmer_email on farmer (lower(email));
        alter table audit add entry text not null;
        create function log_farmer() returns trigger language plpgsql as $$ begin
          if new.name = 'audited' then insert into shop__app_001.audit (_id_, _tstamp_) values (new._id_, now()); end if;
          if new.name = 'raised' then raise exception 'Not a farmer.' using detail = new.email; end if;
          return new; end $$;
        create trigger log_farmer before insert on farmer for each row execute procedure log_farmer();
        insert into region (_id_, _tstamp_) values ('${otherId}', now());
        insert into farmer (_id_, _tstamp_, state, email, region_fk) values ('${otherId}', now(), 'new', 'a@b', '${otherId}');`,
    });
  });
  afterAll(async () => {
    await fixture.drop();
    await server.stop();
  });

  const unique = (value: string) =>
    `${value} must be unique; another record has the same. In Helium, farmer/${otherId} has this value.`;

  it.each([
    [{ state: 'longer than eight' }, "state: 'longer than ei…' has 17 characters; the column takes 8."],
    [{ state: null }, 'state is empty; Helium requires a value.'],
    [{ code: 'abcde' }, "code: 'abcde' has 5 characters; the column takes 4."],
    [
      { price: 99_999_999_999.5 },
      'price: 99999999999.5 is too large; the column takes 10 digits before the decimal point.',
    ],
    [
      { price: 9_999_999_999.999 },
      'price: 9999999999.999 is too large; the column takes 10 digits before the decimal point.',
    ],
    [{ rank: 40_000 }, "rank: 40000 is outside the column's range (-32768 to 32767)."],
    [{ age: 3_000_000_000 }, "age: 3000000000 is outside the column's range (-2147483648 to 2147483647)."],
    [{ age: 20.5 }, 'age: 20.5 is not a whole number; the column takes no other.'],
    [{ age: 17 }, "age: 17 violates Helium's check adult."],
    [{ email: 'A@B' }, unique("email: 'A@B'")],
    [{ region_fk: otherId }, unique(`region_fk: '${otherId}'`)],
    [{ name: 'audited' }, 'audit.entry is empty; Helium requires a value.'],
    [{ name: 'raised', email: personalData }, 'Not a farmer.'],
  ])('names column, value and limit, and no other value of the row: %j', async (change, reason) => {
    const outcomes = await fixture.write(
      [map],
      [
        { key: { table: 'farmer', id: newId() }, fields: { ...fields, ...change }, isInsert: true, changedAtMs: atMs },
        { key: { table: 'farmer', id: newId() }, fields, isInsert: true, changedAtMs: atMs },
      ],
    );
    expect(outcomes).toMatchObject([{ status: 'refused', reason }, { status: 'written' }]);
  });

  it('names the column of a reference that is missing, on an update too', async () => {
    const key = { table: 'farmer', id: otherId };
    const update = { key, fields: { state: null }, isInsert: false, changedAtMs: atMs };
    expect(await fixture.write([map], [update])).toMatchObject([
      { status: 'refused', reason: 'state is empty; Helium requires a value.' },
    ]);
    const missing = newId();
    expect(await fixture.write([map], [{ ...update, fields: { region_fk: missing } }])).toMatchObject([
      { status: 'refused', reason: `region_fk: '${missing}' references a record that Helium does not have.` },
    ]);
  });
});
