import { Skeleton } from '@mantine/core';
import styles from './sync-form.module.css';

const sections = [96, 168, 120, 132, 56];

/** The form's layout while it is being filled. */
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
