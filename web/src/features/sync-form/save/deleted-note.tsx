import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';

/**
 * Reports that another user has deleted the integration of the open form, and offers to create it
 * again with the form's values.
 */
export function DeletedNote({ onRecreate }: { onRecreate: () => void }) {
  const { form, refusal } = useForm();
  if (form.isNew)
    return (
      <p className={styles.notice} role="status">
        The integration was deleted. Saving creates it again with these values. Enter its password again.
      </p>
    );
  return (
    <div className={styles.stale} role="alert">
      <span>
        This integration was <strong>deleted</strong> after you opened it. Your values are still here.
      </span>
      <ExplainedButton variant="default" size="compact-sm" reason={refusal} onClick={onRecreate}>
        Create it again
      </ExplainedButton>
    </div>
  );
}
