import { Button, NativeSelect, TextInput } from '@mantine/core';
import { moveCursorConfirmation } from '@portal/contract/sync';
import { versionSchema } from '@portal/contract/sync-config';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { SyncDirection } from '@portal/contract/sync-records';
import { type FormEvent, useState } from 'react';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { directionLabels, useCompareSides, useMoveCursor } from '../use-integrations.ts';
import styles from './maintenance.module.css';

/** Remedies for the whole integration. */
export function Maintenance({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const compare = useCompareSides();
  return (
    <div className={styles.remedies}>
      {refusal !== null && <p className="note">{refusal}</p>}
      <section aria-labelledby="compare-both">
        <h3 id="compare-both">Compare both sides</h3>
        <p className="note">
          Reads both sides whole, mends what differs, and tells in the log what did. It runs in the background while
          everything else goes on.
        </p>
        <ExplainedButton
          variant="default"
          reason={refusal ?? (integration.status === 'Enabled' ? null : 'The integration must be enabled for that.')}
          loading={compare.isPending}
          onClick={() => compare.mutate(integration.id)}
        >
          Compare both sides
        </ExplainedButton>
      </section>
      <MoveCursor integration={integration} refusal={refusal} />
    </div>
  );
}

const directions: readonly SyncDirection[] = ['helium-to-journey', 'journey-to-helium'];

/**
 * Continues a direction from another version; the word is asked for because a slip here carries
 * over too much or too little.
 */
function MoveCursor({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const move = useMoveCursor();
  const [direction, setDirection] = useState<SyncDirection>('helium-to-journey');
  const [version, setVersion] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const isVersion = versionSchema.safeParse(version).success;
  const canMove = refusal === null && isVersion && confirmation === moveCursorConfirmation;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!canMove || move.isPending) return;
    move.mutate(
      { appId: integration.id, direction, version },
      {
        onSuccess() {
          setVersion('');
          setConfirmation('');
        },
      },
    );
  };
  return (
    <section aria-labelledby="move-cursor">
      <h3 id="move-cursor">Move the cursor</h3>
      <p className="note">
        Continues one direction from another version. A smaller one reads again what was read, a larger one leaves out
        what lies between; 0 reads everything from the beginning. Processed so far: change-log{' '}
        {integration.changeLogVersion}, op-log {integration.oplogVersion}.
      </p>
      <form onSubmit={submit} className={styles.moveForm}>
        <NativeSelect
          label="Direction"
          data={directions.map((one) => ({ value: one, label: directionLabels[one] }))}
          disabled={refusal !== null}
          value={direction}
          onChange={({ currentTarget: { value } }) => setDirection(parseDirection(value))}
        />
        <TextInput
          label="Version"
          inputMode="numeric"
          disabled={refusal !== null}
          autoComplete="off"
          value={version}
          error={version !== '' && !isVersion ? 'A number of 0 or more, without separators.' : null}
          onChange={(event) => setVersion(event.currentTarget.value.trim())}
        />
        <TextInput
          label={`Type ${moveCursorConfirmation} to confirm`}
          autoComplete="off"
          disabled={refusal !== null}
          spellCheck={false}
          value={confirmation}
          onChange={(event) => setConfirmation(event.currentTarget.value)}
        />
        <Button type="submit" color="red" disabled={!canMove} loading={move.isPending}>
          Move the cursor
        </Button>
      </form>
    </section>
  );
}

function parseDirection(text: string): SyncDirection {
  return directions.find((one) => one === text) ?? 'helium-to-journey';
}
