import { countText, type ObjectCount } from './object-counts.ts';
import styles from './plan.module.css';

/** Lists the number of objects of each kind. */
export function CountList({ counts }: { counts: readonly ObjectCount[] }) {
  if (counts.length === 0) return <>none</>;
  return (
    <ul className={styles.counts}>
      {counts.map((count) => (
        <li key={count.kind}>{countText(count)}</li>
      ))}
    </ul>
  );
}
