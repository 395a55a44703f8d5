import { type FieldHint, fieldHintTexts } from '@portal/contract/sync/enrollment';
import styles from '../sync-guide.module.css';

/**
 * The fields of one part of the enrollment settings, each with its meaning and the type its
 * attribute must have.
 */
export function FieldTable<Name extends string>(props: {
  label: string;
  hints: Readonly<Record<Name, FieldHint>>;
  descriptions: Readonly<Record<NoInfer<Name>, string>>;
}) {
  const { hints, descriptions } = props;
  const names: Name[] = [];
  for (const name in hints) names.push(name);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className={styles.scroll} aria-label={props.label} tabIndex={0}>
      <table className={styles.table} aria-label={props.label}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type in Helium</th>
            <th scope="col">Contents</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{fieldHintTexts[hints[name]]}</td>
              <td>{descriptions[name]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
