import styles from './values-of-both.module.css';

type Values = Readonly<Record<string, unknown>> | null;

/** What each side says of a record, field by field; those that differ first. */
export function ValuesOfBoth({ helium, journey }: { helium: Values; journey: Values }) {
  if (helium === null && journey === null) return null;
  const areBoth = helium !== null && journey !== null;
  const fields = [...new Set([...Object.keys(helium ?? {}), ...Object.keys(journey ?? {})])].map((field) => {
    const [one, other] = [valueText(helium?.[field]), valueText(journey?.[field])];
    return { field, helium: one, journey: other, differs: areBoth && one !== other };
  });
  return (
    <details className={styles.values}>
      <summary>{areBoth ? 'Values of both sides' : `Values of ${helium === null ? 'Journey' : 'Helium'}`}</summary>
      <dl>
        {fields
          .toSorted((a, b) => Number(b.differs) - Number(a.differs))
          .map((row) => (
            <div key={row.field} data-differs={row.differs || undefined}>
              <dt>{row.field}</dt>
              {helium !== null && (
                <dd>
                  {areBoth && <span>Helium</span>} {row.helium}
                </dd>
              )}
              {journey !== null && (
                <dd>
                  {areBoth && <span>Journey</span>} {row.journey}
                </dd>
              )}
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
