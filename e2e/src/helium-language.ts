/**
 * Parses the objects of an example in Helium's language and returns the tables that Helium creates
 * for them.
 */

/** An attribute or relation as a column, with the facts that an example's test needs. */
interface HeliumColumn {
  /** Lower case; `{relation}_fk` for a relation. */
  readonly name: string;
  readonly sqlType: string;
  /** The object that a relation refers to. */
  readonly parent: string | null;
  /** The names of an enum's values. */
  readonly values: readonly string[];
}

export interface HeliumTable {
  readonly name: string;
  readonly columns: readonly HeliumColumn[];
}

export interface HeliumSchema {
  readonly tables: readonly HeliumTable[];
  /** SQL for the tables and columns of untracked relations. */
  readonly untracked: readonly string[];
}

const types: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'integer',
  decimal: 'numeric',
  bool: 'boolean',
  date: 'date',
  datetime: 'timestamp without time zone',
  blob: 'bytea',
};

const objectPattern = /persistent object (\w+) \{([^}]*)\}/g;
const enumPattern = /enum (\w+) \{([^}]*)\}/g;
const memberPattern = /((?:@\w+\s+)*)(\w+) (\w+)(?: via (\w+))?;/g;

/** Throws on unknown syntax, because an example must be parsed completely. */
export function readHeliumExample(text: string): HeliumSchema {
  const source = text.replaceAll(/\/\/.*/g, '').replaceAll(/@Role\("[^"]*"\)/g, '');
  const enums = new Map(
    [...source.matchAll(enumPattern)].map(([, name = '', values = '']) => [
      name,
      values.split(',').map((value) => value.trim()),
    ]),
  );
  const objects = [...source.matchAll(objectPattern)].map(([, name = '', body = '']) => ({ name, body }));
  const rest = source.replaceAll(enumPattern, '').replaceAll(objectPattern, '').trim();
  if (rest !== '') throw new Error(`not understood: ${rest}`);
  const untracked: string[] = [];
  const tables = objects.map(({ name: objectName, body }) => {
    const leftover = body.replaceAll(memberPattern, '').trim();
    if (leftover !== '') throw new Error(`not understood in ${objectName}: ${leftover}`);
    const columns = [...body.matchAll(memberPattern)].flatMap(
      ([, marks = '', type = '', name = '', via]): HeliumColumn[] => {
        const lower = name.toLowerCase();
        if (via === undefined) {
          const values = enums.get(type) ?? [];
          const sqlType = values.length > 0 ? 'text' : types[type];
          if (sqlType === undefined) throw new Error(`${objectName}.${name} is of an unknown type ${type}`);
          return [{ name: lower, sqlType, parent: null, values }];
        }
        if (!objects.some((one) => one.name === type))
          throw new Error(`${objectName}.${name} refers to an unknown object: ${type}`);
        if (marks.includes('@ManyToOne'))
          return [{ name: `${lower}_fk`, sqlType: 'uuid', parent: type.toLowerCase(), values: [] }];
        if (!marks.includes('@NotTracked')) throw new Error(`${objectName}.${name} must not be tracked`);
        untracked.push(untrackedSql(objectName.toLowerCase(), lower, marks.includes('@ManyToMany')));
        return [];
      },
    );
    return { name: objectName.toLowerCase(), columns };
  });
  return { tables, untracked };
}

function untrackedSql(table: string, relation: string, isMany: boolean): string {
  return isMany
    ? `create table "${table}_${relation}" (left_fk uuid not null, right_fk uuid not null, primary key (left_fk, right_fk));`
    : `alter table "${table}" add column "${relation}_fk" uuid;`;
}
