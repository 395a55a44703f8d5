import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { CopyButton } from '../../../ui/copyable.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { useRevealPassword } from '../use-integrations.ts';
import styles from './info-modal.module.css';

/**
 * The Journey password, masked until the user reveals it. A reveal is audited; closing the dialog
 * discards the password.
 */
export function JourneyPassword({ appId, masked }: { appId: string; masked: string }) {
  const refusal = useAppRefusal('sync.reveal', appId);
  const reveal = useRevealPassword();
  const password = reveal.data?.password;
  return (
    <span className={styles.password}>
      <code>{password ?? masked}</code>
      {password !== undefined && <CopyButton value={password} label="Copy the Journey password" />}
      <ExplainedButton
        variant="default"
        size="compact-sm"
        reason={refusal}
        hint={password === undefined ? 'Reveals the password. The audit trail records it.' : null}
        loading={reveal.isPending}
        onClick={() => (password === undefined ? reveal.mutate(appId) : reveal.reset())}
      >
        {password === undefined ? 'Show' : 'Hide'}
      </ExplainedButton>
    </span>
  );
}
