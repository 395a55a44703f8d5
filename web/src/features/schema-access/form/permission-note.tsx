import { IconInfoCircle } from '@tabler/icons-react';
import styles from '../schema-access.module.css';

/** Explains why grants are needed. */
export function PermissionNote() {
  return (
    <div className={styles.info} role="note">
      <IconInfoCircle size={18} stroke={1.6} aria-hidden />
      <div>
        <p>
          By default developers’ database users have no permission to view or update an app’s data and schema. Granting
          access makes the team the owner of all objects in the schema.
        </p>
        <p>The app keeps working, and the newest grant of a schema can be reverted.</p>
      </div>
    </div>
  );
}
