import { TextInput } from '@mantine/core';
import { minWebhookSecretLength, type Webhooks } from '@portal/contract/sync/webhooks';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { formatPlural } from '../../../format/numbers.ts';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { CopyButton } from '../../../ui/copyable.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { FormSection } from '../fields/form-section.tsx';
import styles from '../sync-form.module.css';
import { SecretsDialog } from './secrets-dialog.tsx';
import { useSaveSecrets, useWebhooks } from './use-webhooks.ts';

/** The address and the secrets of Journey's webhooks, which are saved on their own. */
export function WebhooksSection({ appId }: { appId: string }) {
  const load = useWebhooks(appId);
  return (
    <FormSection
      title="Webhooks"
      note={
        <>
          Optional. Journey reports what devices change at once, instead of being polled for it.{' '}
          <Link to="/sync-guide" search={{ section: 'webhooks' }}>
            How to set them up
          </Link>
        </>
      }
    >
      {load.data && <Settings appId={appId} webhooks={load.data} />}
      {load.isError && <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />}
      {load.isPending && <p className={styles.quiet}>Loading …</p>}
    </FormSection>
  );
}

function Settings({ appId, webhooks }: { appId: string; webhooks: Webhooks }) {
  const refusal = useAppRefusal('sync.change', appId);
  const [dialog, setDialog] = useState<'secrets' | 'off' | null>(null);
  const close = () => setDialog(null);
  const save = useSaveSecrets(appId, close);
  const address = new URL(webhooks.path, window.location.origin).href;
  const hasSecrets = webhooks.secrets > 0;
  return (
    <>
      <TextInput
        label="Webhook address"
        description="Enter it for each webhook of the deployment in Journey, under Manage Webhooks"
        value={address}
        readOnly
        classNames={{ input: styles.mono ?? '' }}
        onFocus={(event) => event.currentTarget.select()}
        rightSection={<CopyButton value={address} label="Copy the webhook address" />}
      />
      <p role="status" className={styles.quiet}>
        {describe(webhooks)}
      </p>
      <div className="row">
        <ExplainedButton variant="default" reason={refusal} onClick={() => setDialog('secrets')}>
          {hasSecrets ? 'Replace secrets' : 'Enter secrets'}
        </ExplainedButton>
        {hasSecrets && (
          <ExplainedButton variant="default" reason={refusal} onClick={() => setDialog('off')}>
            Turn off
          </ExplainedButton>
        )}
      </div>
      <SecretsDialog
        opened={dialog === 'secrets'}
        onClose={close}
        hasSecrets={hasSecrets}
        pending={save.isPending}
        onSave={save.mutate}
      />
      <ConfirmModal
        opened={dialog === 'off'}
        onClose={close}
        title="Turn webhooks off"
        confirmLabel="Turn off"
        danger
        pending={save.isPending}
        onConfirm={() => save.mutate([])}
      >
        <p>
          The stored secrets are removed, and webhooks are refused. Changes of devices arrive when Journey is polled.
        </p>
      </ConfirmModal>
    </>
  );
}

function describe({ secrets, shortSecrets, lastReceived, missedAt }: Webhooks): ReactNode {
  if (secrets === 0) return 'Off. No secret is stored, so webhooks are refused.';
  const tooShort = `${formatPlural(shortSecrets, 'of them has', 'of them have')} fewer than ${minWebhookSecretLength} characters`;
  const advice = shortSecrets > 0 ? `${tooShort} and could be guessed: replace the secrets. ` : '';
  const stored = `${formatPlural(secrets, 'secret is', 'secrets are')} stored. ${advice}`;
  if (lastReceived === null) return `${stored}No webhook has arrived yet.`;
  return (
    <>
      {stored}The last webhook arrived <RelativeTime at={lastReceived} />.
      {missedAt !== null && (
        <>
          {' '}
          A change came <RelativeTime at={missedAt} /> without one, so Journey is polled as often as without webhooks.
          Check in Journey that each object has a webhook, and that all of them are enabled.
        </>
      )}
    </>
  );
}
