import { Switch } from '@mantine/core';
import { useState } from 'react';
import { formatPlural } from '../../../format/numbers.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import type { FieldComparison } from '../draft/changes.ts';
import { useForm } from '../draft/use-sync-form.ts';
import { BreakableText } from '../fields/breakable-text.tsx';
import styles from '../sync-form.module.css';

/** Compares another user's saved changes with the form before they are loaded into it. */
export function CompareDialog(props: {
  opened: boolean;
  by: string;
  onClose: () => void;
  onLoad: (keepMine: boolean) => void;
}) {
  const { opened, by, onClose, onLoad } = props;
  const { form } = useForm();
  const [keepMine, setKeepMine] = useState(true);
  const mine = form.changes.length;
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Load the changes saved by ${by}?`}
      confirmLabel="Load changes"
      isWide
      onConfirm={() => onLoad(keepMine)}
    >
      {form.comparisons.length > 0 ? (
        <Comparison by={by} comparisons={form.comparisons} keepMine={keepMine} />
      ) : (
        <p>No field of this form differs. The password may have been changed.</p>
      )}
      {mine > 0 && (
        <Switch
          label={`Keep my changes to ${formatPlural(mine, 'field')}`}
          description="Your changes stay unsaved until you save. Values in bold will be in the form."
          checked={keepMine}
          onChange={(event) => setKeepMine(event.currentTarget.checked)}
          withThumbIndicator={false}
        />
      )}
    </ConfirmModal>
  );
}

function Comparison(props: { by: string; comparisons: readonly FieldComparison[]; keepMine: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className={styles.difference} tabIndex={0} aria-label="Comparison">
      <table className="cells" aria-label="Comparison">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Saved by {props.by}</th>
            <th scope="col">Mine</th>
          </tr>
        </thead>
        <tbody>
          {props.comparisons.map(({ path, label, theirs, mine, winner }) => {
            const isMine = props.keepMine && winner === 'mine';
            return (
              <tr key={path}>
                <th scope="row">{label}</th>
                <Value text={theirs} isWinner={!isMine && theirs !== undefined} />
                <Value text={mine} isWinner={isMine} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Value({ text, isWinner }: { text: string | null | undefined; isWinner: boolean }) {
  if (text === undefined) return <td className={styles.quiet}>unchanged</td>;
  return (
    <td className={isWinner ? undefined : styles.quiet}>
      {isWinner ? (
        <strong>
          <BreakableText text={text} />
        </strong>
      ) : (
        <BreakableText text={text} />
      )}
    </td>
  );
}
