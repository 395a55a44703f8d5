/** Creates catalogs from short notations, for tests. */
import type { Column, HeliumCatalog, Table } from './helium-catalog.ts';
import type { JourneyCatalog, Model } from './journey-catalog.ts';

/**
 * Columns as `name: type`, with ` not null`, ` default` and ` computed`. `farm_fk: '→ farm'` is a
 * relation with its foreign key.
 */
export function table(
  name: string,
  columns: Readonly<Record<string, string>>,
  facts: Partial<Pick<Table, 'kind' | 'isTracked' | 'lacksKey'>> = {},
): Table {
  const system = { _id_: 'uuid', _tstamp_: 'timestamp without time zone' };
  const tracking = { _tx_id_: 'bigint', _change_type_: '__he_obj_change_type__', _change_seq_: 'bigint' };
  const all = { ...system, ...columns, ...(facts.isTracked !== false && tracking) };
  return { name, kind: 'table', isTracked: true, ...facts, columns: toColumns(all) };
}

/** Creates Helium's table of a many-to-many relation. */
export function linkTable(name: string, left: string, right: string): Table {
  return {
    name,
    kind: 'table',
    isTracked: false,
    columns: toColumns({ left_fk: `→ ${left}`, right_fk: `→ ${right}` }),
  };
}

function toColumns(columns: Readonly<Record<string, string>>): Column[] {
  return Object.entries(columns).map(([name, type]) => {
    const plain = type.replace(/ (not null|default|computed)/g, '');
    const references = plain.startsWith('→ ') ? plain.slice(2) : null;
    return {
      name,
      type: references === null ? plain : 'uuid',
      isNullable: name !== '_id_' && !type.includes(' not null'),
      hasDefault: type.includes(' default'),
      isComputed: type.includes(' computed'),
      references,
      onDelete: references === null ? null : 'set null',
    };
  });
}

/**
 * Fields as `name: type`. `farm: '→ farm'` is a belongs-to, `state: 'single-choice Open Closed'` a
 * choice.
 */
export function model(name: string, fields: Readonly<Record<string, string>>): Model {
  const entries = Object.entries(fields);
  return {
    name,
    label: name,
    fields: entries.flatMap(([field, type]) => {
      const [plain = '', ...choices] = type.split(' ');
      return plain === '→' ? [] : [{ name: field, type: plain, choices }];
    }),
    belongsTo: entries.flatMap(([field, type]) =>
      type.startsWith('→ ') ? [{ name: field, model: type.slice(2) }] : [],
    ),
  };
}

export function heliumCatalog(...tables: readonly Table[]): HeliumCatalog {
  return { schema: 'app_001', tables };
}

export function journeyCatalog(...models: readonly Model[]): JourneyCatalog {
  return { hash: 'h1', userModel: null, models };
}
