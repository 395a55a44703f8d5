import type { StatRow } from '@portal/contract/db-spy';
import styles from '../db-spy.module.css';

export const innerText = 'Ran inside another statement, such as a function. Its time is also part of that statement’s.';

/** Marks a statement whose time is also part of another one's. */
export function InnerMark({ row: { isInner } }: { row: Pick<StatRow, 'isInner'> }) {
  if (!isInner) return null;
  return (
    <span className={styles.inner} title={innerText}>
      inner
    </span>
  );
}
