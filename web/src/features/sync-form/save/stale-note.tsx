import type { SyncIntegration } from '@portal/contract/sync-integration';
import { useState } from 'react';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';
import { CompareDialog } from './compare-dialog.tsx';

/** Somebody else has saved meanwhile: who and when, and the way to go on with one's own changes. */
export function StaleNote({ integration }: { integration: SyncIntegration }) {
  const { form } = useForm();
  const [isComparing, setIsComparing] = useState(false);
  return (
    <div className={styles.stale} role="alert">
      <span>
        <strong>{integration.changedBy}</strong> has changed this integration{' '}
        <RelativeTime at={integration.changedAt} />, after you opened it. A save over it would be refused.
      </span>
      <ExplainedButton variant="default" size="compact-sm" reason={null} onClick={() => setIsComparing(true)}>
        {form.changes.length > 0 ? 'Compare with mine' : 'Show and load it'}
      </ExplainedButton>
      <CompareDialog
        opened={isComparing}
        by={integration.changedBy}
        onClose={() => setIsComparing(false)}
        onLoad={(keepMine) => {
          setIsComparing(false);
          form.loadSaved(keepMine);
        }}
      />
    </div>
  );
}
