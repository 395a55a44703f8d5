import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import type { Change } from '../draft/changes.ts';
import { BreakableText } from '../fields/breakable-text.tsx';
import styles from '../sync-form.module.css';

/** Shows what will change and asks before it is saved. */
export function SaveDialog(props: {
  opened: boolean;
  name: string;
  environment: string;
  isNew: boolean;
  isEnabled: boolean;
  difference: readonly Change[];
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { opened, name, environment, isNew, isEnabled, difference, pending, onClose, onConfirm } = props;
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={isNew ? 'Create this integration?' : 'Save these changes?'}
      confirmLabel={isNew ? 'Create' : 'Save'}
      pending={pending}
      isWide
      onConfirm={onConfirm}
    >
      <p>
        <strong>{name}</strong> in <strong>{environment}</strong>.{' '}
        {isEnabled
          ? 'Both connections are tested first, then the integration starts.'
          : 'The integration stays disabled and nothing is synced.'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className={styles.difference} tabIndex={0} aria-label="Difference">
        <table className="cells" aria-label="Difference">
          <thead>
            <tr>
              <th scope="col">Field</th>
              {!isNew && <th scope="col">Now</th>}
              <th scope="col">{isNew ? 'Value' : 'After saving'}</th>
            </tr>
          </thead>
          <tbody>
            {difference.map(({ path, label, before, after }) => (
              <tr key={path}>
                <th scope="row">{label}</th>
                {!isNew && (
                  <td>
                    <BreakableText text={before} />
                  </td>
                )}
                <td>
                  <BreakableText text={after} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </ConfirmModal>
  );
}
