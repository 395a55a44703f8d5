import type { SyncIntegration } from '@portal/contract/sync-integration';
import { ActButton } from '../../ui/act-button.tsx';
import { When } from '../../ui/when.tsx';
import styles from './sync-form.module.css';
import { useForm } from './use-sync-form.ts';

/** Somebody else has saved meanwhile: who and when, and how to go on with one's own changes. */
export function OvertakenNote({ integration }: { integration: SyncIntegration }) {
  const { form } = useForm();
  return (
    <div className={styles.overtaken} role="alert">
      <span>
        <strong>{integration.changedBy}</strong> has changed this integration <When at={integration.changedAt} />, after
        you opened it. A save over it would be refused.
      </span>
      <ActButton variant="default" size="compact-sm" reason={null} onClick={form.takeOver}>
        {form.changes.length > 0 ? 'Load it, and keep my changes' : 'Load it'}
      </ActButton>
    </div>
  );
}
