import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useState } from 'react';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';
import { CompareDialog } from './compare-dialog.tsx';

/**
 * Reports that another user has saved since the form was opened, and offers to compare and load
 * their changes.
 */
export function StaleNote({ integration }: { integration: SyncIntegration }) {
  const { form } = useForm();
  const [isComparing, setIsComparing] = useState(false);
  return (
    <div className={styles.stale} role="alert">
      <span>
        <strong>{integration.changedBy}</strong> changed this integration <RelativeTime at={integration.changedAt} />,
        after you opened it. Load those changes before you save.
      </span>
      <ExplainedButton variant="default" size="compact-sm" reason={null} onClick={() => setIsComparing(true)}>
        {form.changes.length > 0 ? 'Compare with mine' : 'Show and load changes'}
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
