import styles from './sync.module.css';

type Values = Readonly<Record<string, unknown>> | null;

/** What each side says of a record, field by field; those that differ first. */
export function ValuesOfBoth({ helium, journey }: { helium: Values; journey: Values }) {
  if (helium === null && journey === null) return null;
  const fields = [...new Set([...Object.keys(helium ?? {}), ...Object.keys(journey ?? {})])].map((field) => ({
    field,
    helium: valueText(helium?.[field]),
    journey: valueText(journey?.[field]),
  }));
  const rows = fields.toSorted((a, b) => Number(a.helium === a.journey) - Number(b.helium === b.journey));
  return (
    <details className={styles.values}>
      <summary>Values of both sides</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Helium</th>
            <th scope="col">Journey</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.field} data-differs={row.helium !== row.journey || undefined}>
              <th scope="row">{row.field}</th>
              <td>{helium === null ? 'not there' : row.helium}</td>
              <td>{journey === null ? 'not there' : row.journey}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Any value of a field, short enough to stand beside another. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'not known';
  if (value === null) return 'empty';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
