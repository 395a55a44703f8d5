import { formatCount } from '../../../lib/format.ts';
import type { StateCount, SyncState } from '../../../shared/sync-severity.ts';
import { StatusChip } from '../../../ui/status-chip.tsx';
import styles from './integration-list.module.css';

/** The number of integrations in each state. A press shows only those; another shows all again. */
export function StateFilter(props: {
  counts: readonly StateCount[];
  /** null shows all */
  state: SyncState | null;
  onChange: (state: SyncState | null) => void;
}) {
  const { counts, state, onChange } = props;
  return (
    <fieldset className={styles.states}>
      <legend className="visually-hidden">Show only one state</legend>
      {counts.map(({ name, tone, count }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === state}
          disabled={count === 0 && name !== state}
          title={name === state ? 'Show all' : `Show only ${name}`}
          onClick={() => onChange(name === state ? null : name)}
        >
          <StatusChip tone={count === 0 ? 'neutral' : tone} label={`${formatCount(count)} ${name}`} />
        </button>
      ))}
    </fieldset>
  );
}
