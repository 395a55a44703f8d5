/**
 * One synced object with a field of every common type, in its Helium and Journey forms, and its
 * rows.
 */
import { changeLogDdl, trackingColumns, trackingDdl } from '@portal/simulators/helium/change-log-ddl';
import type pg from 'pg';

/** Synced columns, without the platform's own columns. */
const columns = [
  'name text',
  'note text',
  'age integer',
  'hectares double precision',
  'active boolean',
  'done_on date',
  'seen_at timestamp',
];

const ownColumns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', ...columns];

const names = '_id_, _tstamp_, name, note, age, hectares, active, done_on, seen_at';

/** Row number n, identical wherever it is created. */
const row = `md5('visit ' || n)::uuid, timestamp '2026-01-02 03:04:05', 'Visit ' || n,
  'Maize on the lower field, beans behind the house; the borehole is dry since Tuesday.', n % 90, n % 1000 / 8.0,
  n % 2 = 0, date '2026-01-01' + n % 300, timestamp '2026-01-01' + n % 100000 * interval '1 second'`;

export const schemaXml = `<?xml version="1.0" encoding="UTF-8"?>
<data-model>
  <model name="visit" label="Visit">
    <field name="name" label="Name" type="text"/>
    <field name="note" label="Note" type="text"/>
    <field name="age" label="Age" type="integer"/>
    <field name="hectares" label="Hectares" type="number"/>
    <field name="active" label="Active" type="boolean"/>
    <field name="done_on" label="Done on" type="date"/>
    <field name="seen_at" label="Seen at" type="datetime"/>
    <display>{name}</display>
    <webhook type="update" name="visit_update"/>
  </model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>
`;

/** The same with a photo. */
export const photoSchemaXml = schemaXml.replace(
  '<display>{name}</display>',
  '<field name="photo" label="Photo" type="photo"/>$&',
);

/** The app's object as created by one of its devices. */
export function deviceVisit(id: string, n: number) {
  return {
    type: 'visit',
    id,
    name: `Visit ${n}`,
    note: 'Maize on the lower field, beans behind the house; the borehole is dry since Tuesday.',
    age: n % 90,
    hectares: (n % 1000) / 8,
    active: n % 2 === 0,
    done_on: '2026-03-04',
    seen_at: '2026-03-04T05:06:07Z',
  };
}

/** In Journey's format. */
export function deploymentId(app: number): string {
  return (0x5f1a00000000 + app).toString(16).padEnd(24, '0');
}

export function getSchemaName(app: number): string {
  return `bench_${app}__app_001`;
}

/** An app's schema with the tracking of Helium, and the role that owns it. */
export async function createAppSchema(
  client: pg.Client,
  { app, role, hasPhotos }: { readonly app: number; readonly role: string; readonly hasPhotos: boolean },
): Promise<void> {
  const schema = getSchemaName(app);
  const photo = hasPhotos
    ? ['photo bytea', 'photo_fname__ varchar(255)', 'photo_mtype__ varchar(255)', 'photo_size__ integer']
    : [];
  await client.query(
    `begin; create role ${role}; create schema ${schema} authorization ${role};
     set local role ${role}; set local search_path to ${schema}; ${changeLogDdl(schema)}
     create table visit (${[...ownColumns, ...photo, ...trackingColumns].join(', ')}); ${trackingDdl('visit')} commit;`,
  );
}

/** The same table without tracking, for the peer. */
export const plainTable = `create table visit (${ownColumns.join(', ')})`;

/** Inserts rows starting with number `from`, in transactions of at most `perTransaction`. */
export async function insertVisits(
  client: pg.Client,
  table: string,
  { from = 1, rows, perTransaction = 10_000 }: { from?: number; rows: number; perTransaction?: number },
): Promise<void> {
  for (let first = from; first < from + rows; first += perTransaction) {
    const last = Math.min(first + perTransaction, from + rows) - 1;
    await client.query(`insert into ${table} (${names}) select ${row} from generate_series(${first}, ${last}) n`);
  }
}

export async function insertVisit(client: pg.Client, table: string, id: string): Promise<void> {
  await client.query(
    `insert into ${table} (_id_, _tstamp_, name, age) values ($1, now() at time zone 'UTC', 'One visit', 7)`,
    [id],
  );
}
