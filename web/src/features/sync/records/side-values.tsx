import styles from './side-values.module.css';

type Values = Readonly<Record<string, unknown>> | null;

/** The values of a record on each side, field by field, the differing ones first. */
export function SideValues({ helium, journey }: { helium: Values; journey: Values }) {
  if (helium === null && journey === null) return null;
  const hasBoth = helium !== null && journey !== null;
  const fields = [...new Set([...Object.keys(helium ?? {}), ...Object.keys(journey ?? {})])].map((field) => {
    const [one, other] = [formatValue(helium?.[field]), formatValue(journey?.[field])];
    return { field, helium: one, journey: other, differs: hasBoth && one !== other };
  });
  return (
    <details className={styles.values}>
      <summary>{hasBoth ? 'Values of both sides' : `Values of ${helium === null ? 'Journey' : 'Helium'}`}</summary>
      <dl>
        {fields
          .toSorted((a, b) => Number(b.differs) - Number(a.differs))
          .map((row) => (
            <div key={row.field} data-differs={row.differs || undefined}>
              <dt>{row.field}</dt>
              {helium !== null && (
                <dd>
                  {hasBoth && <span>Helium</span>} {row.helium}
                </dd>
              )}
              {journey !== null && (
                <dd>
                  {hasBoth && <span>Journey</span>} {row.journey}
                </dd>
              )}
            </div>
          ))}
      </dl>
    </details>
  );
}

/** Returns all values in one line. */
export function describeValues(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([field, value]) => `${field} = ${formatValue(value)}`)
    .join(', ');
}

/** Formats any field value, short enough for a comparison. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'unknown';
  if (value === null) return 'empty';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
