import { Skeleton } from '@mantine/core';
import styles from './attention.module.css';

/** Lines where the entries of a section will be. */
export function SectionLines() {
  return (
    <div aria-busy="true">
      {[70, 55, 62].map((width) => (
        <div key={width} className={styles.line}>
          <Skeleton height={12} width={`${width}%`} />
        </div>
      ))}
    </div>
  );
}
