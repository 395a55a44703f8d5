/**
 * Defines an app's objects in a form close to Helium's language. Each attribute has SQL that
 * generates its values. Seeds are expressions over `i`, the row's number from 1, so one statement
 * creates thousands of rows, and every start creates the same ones.
 */
export type AttributeType =
  | 'string'
  | 'choice'
  | 'int'
  | 'bigint'
  | 'decimal'
  | 'bool'
  | 'date'
  | 'datetime'
  | 'uuid'
  | 'json'
  | 'blob';

/** SQL over `i`; the salt makes two attributes of one row independent. */
export type Seed = (salt: number) => string;

export interface Attribute {
  readonly type: AttributeType;
  readonly seed: Seed;
  readonly isRequired?: boolean;
}

export interface ObjectDefinition {
  /** As in the app's language, `StockItem`; the table has the name in lower case. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Relation name → target object: a `{relation}_fk` column. */
  readonly toOne: Readonly<Record<string, string>>;
  /** The relations of `toOne` that no two objects share. */
  readonly oneToOne: readonly string[];
  /** Relation name → target object: a link table. */
  readonly toMany: Readonly<Record<string, string>>;
  readonly tracked: boolean;
  /** Whether an object that is not tracked has the columns of one that is, without its triggers. */
  readonly hasIdleTracking: boolean;
  /** Role objects have a person's names, locale, and zone in addition to their own attributes. */
  readonly role: boolean;
  readonly rows: number;
}

type ObjectOptions = Pick<ObjectDefinition, 'rows'> & Partial<Omit<ObjectDefinition, 'name' | 'attributes'>>;

const defaults = { toOne: {}, oneToOne: [], toMany: {}, tracked: true, hasIdleTracking: false, role: false };

export function persistentObject(
  name: string,
  options: ObjectOptions,
  attributes: Readonly<Record<string, Attribute>>,
): ObjectDefinition {
  return { ...defaults, ...options, name, attributes };
}

const attribute = (type: AttributeType) => (seed: Seed) => ({ type, seed });
export const string = attribute('string');
/** One of the values that the app's language names. */
export const choice = attribute('choice');
export const int = attribute('int');
export const decimal = attribute('decimal');
export const bool = attribute('bool');
export const date = attribute('date');
export const datetime = attribute('datetime');
export const json = attribute('json');
export const blob = attribute('blob');

export const required = (one: Attribute): Attribute => ({ ...one, isRequired: true });

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A number from 0 to 2^31, determined by row and salt. */
const scattered = (salt: number) => `(hashint8extended(i, ${salt}) & 2147483647)`;

export const none: Seed = () => 'null';

export const pick =
  (...choices: readonly string[]): Seed =>
  (salt) =>
    `(array[${choices.map(literal).join(', ')}])[1 + ${scattered(salt)} % ${choices.length}]`;

/** Cycles through the choices, so that small reference tables contain each of them once. */
export const inTurn =
  (...choices: readonly string[]): Seed =>
  () =>
    `(array[${choices.map(literal).join(', ')}])[1 + (i - 1) % ${choices.length}]`;

export const between =
  (from: number, to: number): Seed =>
  (salt) =>
    `(${from} + ${scattered(salt)} % ${to - from + 1})::int`;

export const money =
  (from: number, to: number): Seed =>
  (salt) =>
    `(${from} + (${scattered(salt)} % ${(to - from) * 100}) / 100.0)::numeric`;

export const chance =
  (percent: number): Seed =>
  (salt) =>
    `(${scattered(salt)} % 100 < ${percent})`;

/** A date or an instant within the last days. */
export const daysAgo =
  (from: number, to: number): Seed =>
  (salt) =>
    `(now() at time zone 'UTC' - make_interval(days => ${from} + (${scattered(salt)} % ${to - from + 1})::int, secs => ${scattered(salt + 1)} % 86400))`;

/** Joins words, numbers, and other seeds. */
export const joined =
  (...parts: readonly (string | Seed)[]): Seed =>
  (salt) =>
    parts
      .map((part, index) => (typeof part === 'string' ? literal(part) : `(${part(salt + 101 * index)})::text`))
      .join(' || ');

export const numbered =
  (prefix: string, digits: number): Seed =>
  () =>
    `${literal(prefix)} || lpad(i::text, ${digits}, '0')`;

export const phoneNumber =
  (prefix: string): Seed =>
  (salt) =>
    `${literal(prefix)} || lpad((${scattered(salt)} % 10000000)::text, 7, '0')`;
