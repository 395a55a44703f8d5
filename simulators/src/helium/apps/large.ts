/**
 * An app of the size of a large real one: 166 tables with Helium's own, 54 of them tracked, 67
 * views, 58 functions and 242 references. It has what real schemas have and small ones lack:
 * keywords as names, names of 63 characters, references that PostgreSQL must number, tables with
 * tracking columns but no triggers, tables with names like Helium's own and like views, one-to-one
 * references, defaults of an extension, and views that change tables when they are read.
 */
import type { AppTemplate } from '../definition.ts';
import {
  type Attribute,
  between,
  blob,
  bool,
  chance,
  choice,
  date,
  datetime,
  daysAgo,
  decimal,
  inTurn,
  int,
  money,
  none,
  numbered,
  type ObjectDefinition,
  persistentObject,
  pick,
  required,
  string,
} from '../model.ts';
import { now, placeName, provinces, scheduled, town } from './vocabulary.ts';

const trackedTables = 54;
const roleTables = 20;
const executorViews = 30;
const plainTables = 26;
/**
 * Of the role tables and of the plain ones, the first: they have tracking columns, and no triggers.
 */
const idleRoleTables = 16;
const idlePlainTables = 4;
/** Of the first tracked objects; each has two references. */
const linkTables = 10;
/** All references except those of link tables and of Helium's own tables. */
const references = 215;
/** Those of the last tracked object. */
const referencesOfOne = 19;
const plainViews = 37;
const lookUpFunctions = 23;

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const numberedName = (prefix: string, index: number) => `${prefix}${String(index + 1).padStart(2, '0')}`;

const subjects = ['Facility', 'Visit', 'Order', 'Delivery', 'Household', 'Training', 'Asset', 'Inspection', 'Claim'];
const toTrackedName = (index: number) => numberedName(subjects[index % subjects.length] ?? '', index);
/** The last ones have names like Helium's own tables and like views. */
const unusualNames = ['__MessageLog__', 'Territory_Executor', 'StockBalance_MaterializedView'];
const toPlainName = (index: number) =>
  unusualNames[index - (plainTables - unusualNames.length)] ?? numberedName('Upload', index);
const toReportName = (index: number) => numberedName('StockReport', index);

/** Attributes of every tracked object; keywords among them. */
const commonAttributes: Readonly<Record<string, Attribute>> = {
  name: required(string(placeName('Store', 'Post', 'Depot'))),
  code: required(string(numbered('C', 6))),
  deleted: required(string(inTurn('No', 'No', 'No', 'Yes'))),
  state: choice(pick('Open', 'Approved', 'Closed')),
  index: int(between(0, 999)),
  value: decimal(money(1, 5_000)),
  key: string(numbered('K', 8)),
  time: datetime(daysAgo(0, 90)),
  timestamp: datetime(daysAgo(0, 300)),
  latitude: decimal(money(-25, 15)),
  longitude: decimal(money(20, 33)),
  province: string(provinces),
  capturedOn: date(daysAgo(0, 400)),
  urgent: bool(chance(15)),
  comment: string(none),
  contactNumberOfThePersonWhoCapturedThisRecordOnTheirOwnDevice: string(numbered('2784', 7)),
};

/** Returns the objects that each object references, by relation. */
function spreadReferences(names: readonly string[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const last = names[trackedTables - 1] ?? '';
  const spread: Record<string, Record<string, string>> = Object.fromEntries(names.map((name) => [name, {}]));
  const add = (from: string, index: number) => {
    const to = names[(names.indexOf(from) + 1 + index * 7) % names.length] ?? '';
    // The names of one object's constraints are so long that they are cut and numbered.
    const relation =
      from === last
        ? numberedName('theFacilityThatReceivesTheGoodsOfThisRequestAsItsStop', index)
        : `${numberedName('related', index)}${to}`;
    Object.assign(spread[from] ?? {}, { [relation]: to });
  };
  for (const index of upTo(referencesOfOne)) add(last, index);
  const others = names.filter((name) => name !== last);
  for (const at of upTo(references - referencesOfOne))
    add(others[at % others.length] ?? '', Math.floor(at / others.length));
  return spread;
}

function createObjects(rows: number): ObjectDefinition[] {
  const tracked = upTo(trackedTables).map(toTrackedName);
  const roles = upTo(roleTables).map((index) => numberedName('FieldOfficer', index));
  const plain = upTo(plainTables).map(toPlainName);
  const toOne = spreadReferences([...tracked, ...roles, ...plain]);
  return [
    ...tracked.map((name, index) => {
      const [relation = ''] = Object.keys(toOne[name] ?? {});
      const toMany = index < linkTables ? { visibleTo: roles[index] ?? '' } : {};
      const options = { rows, toOne: toOne[name] ?? {}, toMany, ...(index % 9 === 0 && { oneToOne: [relation] }) };
      return persistentObject(name, options, commonAttributes);
    }),
    ...roles.map((name, index) =>
      persistentObject(
        name,
        { rows, role: true, tracked: false, hasIdleTracking: index < idleRoleTables, toOne: toOne[name] ?? {} },
        { mobileNumber: string(numbered('2782', 7)), town: string(town) },
      ),
    ),
    ...plain.map((name, index) =>
      persistentObject(
        name,
        { rows, tracked: false, hasIdleTracking: index < idlePlainTables, toOne: toOne[name] ?? {} },
        {
          line: string(numbered('L', 8)),
          accepted: bool(chance(90)),
          total: int(between(0, 500)),
          content: blob(none),
        },
      ),
    ),
    ...upTo(executorViews).map((index) =>
      persistentObject(toReportName(index), { rows: 0, tracked: false }, { label: string(none), total: int(none) }),
    ),
  ];
}

/** Fills a report when its view is read; the last one changes a tracked table too. */
function executorRoutine(schemaName: string, index: number): string {
  const source = toTrackedName(index).toLowerCase();
  const report = toReportName(index).toLowerCase();
  const rename = index === executorViews - 1 ? `execute 'update ${source} set name = name || ''*''';` : '';
  return `create function fill_${report}() returns boolean language plpgsql volatile as $$
    begin
      perform set_config('search_path', '${schemaName}', false);
      execute '${index % 3 === 2 ? 'delete from' : 'truncate'} ${report}';
      execute 'insert into ${report} (_id_, _tstamp_, label, total)
        select public.uuid_generate_v4(), ${now.replaceAll("'", "''")}, state, count(*) from ${source} group by state';
      ${rename}
      return true;
    end $$;`;
}

function createRoutines(schemaName: string): string[] {
  const first = toTrackedName(0).toLowerCase();
  return [
    // Columns that the app's own scripts add; Helium's model and Journey do not have them.
    `alter table ${first} add column barcode uuid not null default public.uuid_generate_v4();`,
    ...upTo(plainTables).map(
      (index) =>
        `alter table ${toPlainName(index).toLowerCase()} alter column _id_ set default public.uuid_generate_v4();`,
    ),
    ...upTo(executorViews).map((index) => executorRoutine(schemaName, index)),
    ...upTo(lookUpFunctions).map((index) => {
      const table = toTrackedName(index).toLowerCase();
      return `create function name_of_${table}(id uuid) returns text language sql stable as $$
        select name from ${schemaName}.${table} where _id_ = id $$;`;
    }),
    // A forced sync, a part at a time.
    `create function sync_again() returns void language sql as $$
      update ${schemaName}.${first} set _id_ = _id_ where _id_ in (select _id_ from ${schemaName}.${first} limit 500) $$;`,
  ];
}

/** @param rows of each object that is not a report */
export function createLargeApp(rows: number): AppTemplate {
  return {
    name: 'National Programme',
    schema: 'national_programme',
    host: 'programme',
    objects: createObjects(rows),
    extensions: ['uuid-ossp'],
    routines: createRoutines,
    views: [
      ...upTo(executorViews).map((index) => {
        const report = toReportName(index).toLowerCase();
        return { name: `${report}_executor`, materialized: false, sql: `select fill_${report}() as filled` };
      }),
      ...upTo(plainViews).map((index) => {
        const table = toTrackedName(index).toLowerCase();
        const sql = `select _id_, now() as _tstamp_, name, state, "index", "value" from ${table} where deleted = 'No'`;
        return { name: `__current${table}view__`, materialized: false, sql };
      }),
    ],
    functions: upTo(40).map((index) =>
      scheduled(`Nightly${numberedName('Task', index)}:run`, `${index} 2 * * *`, async (mez) => {
        const table = toTrackedName(index).toLowerCase();
        const changed = await mez.sql(
          `update ${table} set state = 'Approved', _tstamp_ = ${now}
           where _id_ in (select _id_ from ${table} where state = 'Open' limit 20)`,
        );
        mez.log(`${changed} records approved`);
      }),
    ),
    chatter: [
      ['INFO', 'Record {n} captured'],
      ['WARNING', 'Record {n} has no location'],
    ],
  };
}
