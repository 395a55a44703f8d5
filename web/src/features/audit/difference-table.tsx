import styles from './audit.module.css';
import { findDifferences } from './difference.ts';

/** Shows the changed values of an audit entry. */
export function DifferenceTable({ before, after }: { before: unknown; after: unknown }) {
  const differences = findDifferences(before, after);
  if (differences.length === 0) return <p className="quiet">No values were changed.</p>;
  return (
    <table className={styles.differences} aria-label="Changed values">
      <thead>
        <tr>
          <th scope="col">Value</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ path, kind, before: old, after: next }) => (
          <tr key={`${path.join('\0')} ${kind}`}>
            <th scope="row">{path.length === 0 ? 'value' : path.join(' › ')}</th>
            <td data-side="before">{old === null ? <span className="quiet">none</span> : <del>{old}</del>}</td>
            <td data-side="after">{next === null ? <span className="quiet">none</span> : <ins>{next}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
