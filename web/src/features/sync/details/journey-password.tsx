import { useRefusal } from '../../../session/use-session.ts';
import { CopyButton } from '../../../ui/copyable.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { useRevealPassword } from '../use-integrations.ts';
import styles from './info-modal.module.css';

/** Masked until somebody asks for it, which is written down. It goes with the dialog. */
export function JourneyPassword({ appId, masked }: { appId: string; masked: string }) {
  const refusal = useRefusal('sync.reveal');
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
        hint={password === undefined ? 'Shows it to you, and writes into the audit trail that it did.' : null}
        loading={reveal.isPending}
        onClick={() => (password === undefined ? reveal.mutate(appId) : reveal.reset())}
      >
        {password === undefined ? 'Show' : 'Hide'}
      </ExplainedButton>
    </span>
  );
}
