import { ExampleView } from '../examples/example-view.tsx';
import { dataTypesExample } from '../examples/examples.ts';
import styles from '../sync-guide.module.css';
import type { Section } from './section.ts';

const types = [
  ['int', 'integer', 'Whole numbers from −2147483648 to 2147483647, the range of Helium’s int; also with a number.'],
  ['bigint', 'integer', 'Whole numbers within ±2^53, which Journey holds exactly; also with a number.'],
  ['string', 'text', 'Any subtype of text. The NUL character cannot be stored.'],
  [
    'decimal',
    'number',
    'All digits that Journey can hold, about 15. Further ones stay in Helium, and the record counts as rounded.',
  ],
  ['bool', 'boolean', 'True, false or empty. Journey’s labels for them can be anything.'],
  ['date', 'date', 'A day without a time, in the years 1 to 9999.'],
  ['datetime', 'datetime', 'UTC. Journey stores whole seconds, so fractions of a second are not synced.'],
  ['blob', 'photo, signature or attachment', 'The bytes and the file’s name. Journey converts names to lowercase.'],
  ['enum', 'single-choice', 'The value’s name is the option’s key; see Enums.'],
  ['@ManyToOne', 'belongs-to', 'The parent’s id; see Relationships.'],
] as const;

const unsupported = [
  ['location', 'Journey', 'Two attributes of type decimal, filled in by view code.'],
  ['single-choice-integer', 'Journey', 'A single choice with the names of an enum as its keys, or an integer.'],
  ['multiple-choice, multiple-choice-integer', 'Journey', 'A bool for each choice, or a child object.'],
  ['single-choice', 'Journey', 'Synced with an enum or a string only.'],
  ['track', 'Journey', 'A child object for each point.'],
  ['json, jsonarray', 'Helium', 'Separate attributes. Helium does not track objects that have json.'],
  ['uuid', 'Helium', 'A relation, or a string.'],
] as const;

function DataTypes() {
  return (
    <>
      <p>An attribute and a field of the same name are synced when their types match:</p>
      <Rows label="Data types" headers={['Helium', 'Journey', 'What is synced']} rows={types} codeColumns={2} />
      <ExampleView example={dataTypesExample} />
    </>
  );
}

function UnsupportedTypes() {
  return (
    <>
      <p>
        You can use these in view code or in Journey’s local database, as long as the other side has nothing with the
        same name. If it does, the field is not synced, and the integration warns of it.
      </p>
      <Rows label="Unsupported types" headers={['Type', 'Of', 'Instead']} rows={unsupported} codeColumns={1} />
    </>
  );
}

function Enums() {
  return (
    <>
      <p>
        Helium stores an enum as the name of its value; Journey stores a single choice as the key of its option. So the
        option’s <code>key</code> must match the value’s name exactly, including case. The option’s label can be
        anything.
      </p>
      <p>
        Add a new value to Journey first, then to Helium. Journey rejects a value that is not one of its keys. The
        record is then a dead letter until the option exists or the value changes.
      </p>
    </>
  );
}

/** @param codeColumns how many columns contain code */
function Rows(props: {
  label: string;
  headers: readonly string[];
  rows: readonly (readonly [string, ...string[]])[];
  codeColumns: number;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className={styles.scroll} aria-label={props.label} tabIndex={0}>
      <table className={styles.table} aria-label={props.label}>
        <thead>
          <tr>
            {props.headers.map((header) => (
              <th key={header} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(([first, ...rest]) => (
            <tr key={first}>
              <th scope="row">
                <code>{first}</code>
              </th>
              {rest.map((text, at) => (
                <td key={text}>{at + 1 < props.codeColumns ? <code>{text}</code> : text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export const dataSections: readonly Section[] = [
  { id: 'data-types', title: 'Data types', Content: DataTypes },
  { id: 'unsupported-types', title: 'Unsupported types', Content: UnsupportedTypes },
  { id: 'enums', title: 'Enums', Content: Enums },
];
