import { Button, Modal, Textarea } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { maxWebhookSecrets, minWebhookSecretLength } from '@portal/contract/sync/webhooks';
import { type FormEvent, useState } from 'react';
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
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.hasSecrets ? 'Replace the webhook secrets' : 'Enter the webhook secrets'}
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside the dialog, so that what was typed is gone when it closes. */}
      <SecretsForm {...props} />
    </Modal>
  );
}

function SecretsForm({ hasSecrets, pending, onClose, onSave }: SecretsDialogProps) {
  const [text, setText] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const { secrets, problem } = readSecrets(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (problem === null && !pending) onSave(secrets);
  };
  return (
    <form className="stack-l" onSubmit={submit}>
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
      <div className="buttons">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" loading={pending}>
          Save secrets
        </Button>
      </div>
    </form>
  );
}
