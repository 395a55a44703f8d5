/**
 * Generates the rows of a new schema with one statement per object, the same at every first start.
 */
import pg from 'pg';
import type { AppTemplate } from './definition.ts';
import { inTurn, type ObjectDefinition, pick, type Seed } from './model.ts';
import { getAttributes, getLinkTableName, getTableName, toForeignKeyColumn } from './schema-ddl.ts';

const firstNames = [
  'Thandiwe',
  'Sipho',
  'Chipo',
  'Mutinta',
  'Naledi',
  'Bwalya',
  'Pieter',
  'Amina',
  'Tendai',
  'Lerato',
  'Joseph',
  'Grace',
];
const surnames = [
  'Mokoena',
  'Banda',
  'Phiri',
  'Nkosi',
  'Mwansa',
  'Dlamini',
  'Botha',
  'Zulu',
  'Tembo',
  'Khumalo',
  'Chanda',
  'van Wyk',
];

const roleSeeds: Readonly<Record<string, Seed>> = {
  _firstNames: pick(...firstNames),
  _nickName: pick(...firstNames),
  _surname: pick(...surnames),
  _locale: inTurn('en_ZA', 'en_ZM'),
  _timeZone: inTurn('Africa/Johannesburg', 'Africa/Lusaka'),
};

/** Objects must come after the objects they reference. */
export function seedSql(app: AppTemplate, scale: number): string {
  const getRowCount = new Map(app.objects.map((object) => [object.name, scaledRows(object, scale)]));
  return app.objects
    .map((object) => [rowsSql(object, getRowCount), ...linksSql(object, getRowCount)].join('\n'))
    .join('\n');
}

function scaledRows(object: ObjectDefinition, scale: number): number {
  return Math.max(3, Math.round(object.rows * scale));
}

function rowsSql(object: ObjectDefinition, getRowCount: ReadonlyMap<string, number>): string {
  const attributes = Object.keys(getAttributes(object)).map((name, index) => ({
    column: pg.escapeIdentifier(name.toLowerCase()),
    value: (object.attributes[name]?.seed ?? roleSeeds[name] ?? (() => 'null'))(1009 * (index + 1)),
  }));
  const relations = Object.entries(object.toOne).map(([relation, other], index) => ({
    column: toForeignKeyColumn(relation),
    value: object.oneToOne.includes(relation)
      ? rowId(other, 'i')
      : rowId(other, `1 + (hashint8extended(i, ${index + 7}) & 2147483647) % ${getRowCount.get(other) ?? 1}`),
  }));
  const cells = [
    { column: '_id_', value: rowId(object.name, 'i') },
    {
      column: '_tstamp_',
      value: `now() at time zone 'UTC' - make_interval(secs => (hashint8extended(i, 3) & 2147483647) % 8000000)`,
    },
    ...attributes,
    ...relations,
  ];
  return `insert into ${pg.escapeIdentifier(getTableName(object.name))} (${cells.map(({ column }) => column).join(', ')})
    select ${cells.map(({ value }) => value).join(', ')} from generate_series(1, ${getRowCount.get(object.name) ?? 0}) as i;`;
}

function linksSql(object: ObjectDefinition, getRowCount: ReadonlyMap<string, number>): string[] {
  return Object.entries(object.toMany).map(
    ([relation, other]) => `insert into ${getLinkTableName(object.name, relation)} (left_fk, right_fk)
      select ${rowId(object.name, 'i')}, ${rowId(other, `1 + (i * 7 + k) % ${getRowCount.get(other) ?? 1}`)}
      from generate_series(1, ${getRowCount.get(object.name) ?? 0}) as i, generate_series(0, 1) as k;`,
  );
}

/** A version 4 UUID derived from object and row number, so that foreign keys need no lookup. */
function rowId(objectName: string, row: string): string {
  return `overlay(overlay(md5('${getTableName(objectName)}' || (${row})) placing '4' from 13) placing 'a' from 17)::uuid`;
}
