import { Textarea } from '@mantine/core';
import { maxWebhookSecrets, minWebhookSecretLength } from '@portal/contract/sync/webhooks';
import { useState } from 'react';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { readSecrets } from './read-secrets.ts';

interface SecretsDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly hasSecrets: boolean;
  readonly pending: boolean;
  readonly onSave: (secrets: string[]) => void;
}

/** Takes the secrets that Journey shows, one per webhook. */
export function SecretsDialog(props: SecretsDialogProps) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={props.hasSecrets ? 'Replace the webhook secrets' : 'Enter the webhook secrets'}
      centered
    >
      <SecretsForm {...props} />
    </Dialog>
  );
}

function SecretsForm({ hasSecrets, pending, onClose, onSave }: SecretsDialogProps) {
  const [text, setText] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const { secrets, problem } = readSecrets(text);
  const submit = () => {
    setIsChecked(true);
    if (problem === null) onSave(secrets);
  };
  return (
    <DialogForm onSubmit={submit} onClose={onClose} submitLabel="Save secrets" pending={pending} className="stack-l">
      <p>
        Journey shows the secret of each webhook under Manage Webhooks. They are stored encrypted and never shown again.
        {hasSecrets && ' These replace all that are stored: enter old and new ones while you change them in Journey.'}
      </p>
      <Textarea
        data-autofocus
        label="Secrets"
        description={`One per line, at most ${maxWebhookSecrets}; each has at least ${minWebhookSecretLength} characters`}
        value={text}
        error={isChecked && problem}
        autosize
        minRows={3}
        maxRows={10}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
