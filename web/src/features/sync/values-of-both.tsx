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
      <dl>
        {rows.map((row) => (
          <div key={row.field} data-differs={row.helium !== row.journey || undefined}>
            <dt>{row.field}</dt>
            <dd>
              <span>Helium</span> {helium === null ? 'not there' : row.helium}
            </dd>
            <dd>
              <span>Journey</span> {journey === null ? 'not there' : row.journey}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Any value of a field, short enough to stand beside another. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'not known';
  if (value === null) return 'empty';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
