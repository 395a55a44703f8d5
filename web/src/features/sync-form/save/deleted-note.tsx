import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';

/**
 * Somebody has deleted the integration whose form is open: what was typed stays, and can become a
 * new one.
 */
export function DeletedNote({ onRecreate }: { onRecreate: () => void }) {
  const { form, refusal } = useForm();
  if (form.isNew)
    return (
      <p className={styles.notice} role="status">
        The integration was deleted. Saving creates it anew from what stands here; its password must be given again.
      </p>
    );
  return (
    <div className={styles.stale} role="alert">
      <span>
        This integration was <strong>deleted</strong> after you opened it. What you have filled in is still here.
      </span>
      <ExplainedButton variant="default" size="compact-sm" reason={refusal} onClick={onRecreate}>
        Create it anew
      </ExplainedButton>
    </div>
  );
}
