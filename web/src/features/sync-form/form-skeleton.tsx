import { Skeleton } from '@mantine/core';
import styles from './sync-form.module.css';

const sections = [96, 168, 120, 132, 56];

/** A placeholder with the layout of the form while it loads. */
export function FormSkeleton() {
  return (
    <div className={styles.form} aria-busy="true" role="status" aria-label="Loading">
      {sections.map((height) => (
        <div key={height} className={styles.section}>
          <Skeleton height={20} width={140} />
          <Skeleton height={height} />
        </div>
      ))}
    </div>
  );
}
