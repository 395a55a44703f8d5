import { Button, NativeSelect, TextInput } from '@mantine/core';
import { versionSchema } from '@portal/contract/sync/config';
import { moveCursorConfirmation, type SyncIntegration } from '@portal/contract/sync/integration';
import type { SyncDirection } from '@portal/contract/sync/records';
import { type FormEvent, useState } from 'react';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { directionLabels } from '../direction-status.ts';
import { useCompareSides } from '../records/use-comparison.ts';
import { useMoveCursor } from '../use-integrations.ts';
import styles from './maintenance.module.css';

/** Repair actions for a whole integration. */
export function Maintenance({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const compare = useCompareSides();
  return (
    <div className={styles.remedies}>
      {refusal !== null && <p className="note">{refusal}</p>}
      <section aria-labelledby="compare-both">
        <h3 id="compare-both">Compare both sides</h3>
        <p className="note">
          Compares all records on both sides, then repairs and logs the differences. Runs in the background while
          syncing continues. Of objects that sync in one direction only, differences on the other side are listed under
          Differences and stay as they are.
        </p>
        <ExplainedButton
          variant="default"
          reason={
            refusal ??
            (integration.status === 'Enabled' ? null : 'The integration must be enabled to compare both sides.')
          }
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
 * Restarts one direction from another version. Requires a confirmation word because a wrong version
 * syncs too much or too little.
 */
function MoveCursor({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const move = useMoveCursor();
  const openQuestion = integration.needsDecision ? 'Answer the question at the top first.' : null;
  const isDisabled = refusal !== null || openQuestion !== null;
  const [direction, setDirection] = useState<SyncDirection>('helium-to-journey');
  const [version, setVersion] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const isVersion = versionSchema.safeParse(version).success;
  const canMove = !isDisabled && isVersion && confirmation === moveCursorConfirmation;
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
        Continues one direction from another version. A lower version, also 0, reads all objects of that direction again
        as they are now. It deletes nothing, but records that were deleted in the meantime may come back. A higher
        version skips everything in between. Processed so far: change-log {integration.changeLogVersion}, op-log{' '}
        {integration.oplogVersion}.
      </p>
      {openQuestion !== null && refusal === null && <p className="note">{openQuestion}</p>}
      <form onSubmit={submit} className={styles.moveForm}>
        <NativeSelect
          label="Direction"
          data={directions.map((one) => ({ value: one, label: directionLabels[one] }))}
          disabled={isDisabled}
          value={direction}
          onChange={({ currentTarget: { value } }) => setDirection(parseDirection(value))}
        />
        <TextInput
          label="Version"
          inputMode="numeric"
          disabled={isDisabled}
          autoComplete="off"
          value={version}
          error={version !== '' && !isVersion ? 'Enter a number of 0 or more, without separators.' : null}
          onChange={(event) => setVersion(event.currentTarget.value.trim())}
        />
        <TextInput
          label={`Type ${moveCursorConfirmation} to confirm`}
          autoComplete="off"
          disabled={isDisabled}
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
