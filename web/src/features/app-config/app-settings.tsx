import { type AppConfig, getMaxDbResultsTone, maxDbResultsChoices, setMaxDbResults } from '@portal/contract/app-config';
import { call } from '../../api/call.ts';
import { formatCount } from '../../format/numbers.ts';
import styles from './app-config.module.css';
import { type Effect, getMaxDbResultsEffect } from './changes/effects.ts';
import { createDisabledChange, createLockedChange, type StateChange } from './changes/state-changes.ts';
import { labelByTone } from './entry-points/entry-points.ts';
import { type ToneChoice, ToneSelect } from './tone-select.tsx';
import type { ConfigChange } from './use-app-config.ts';

const stateChoices: readonly ToneChoice[] = [
  { value: 'enabled', label: 'Enabled', tone: 'success', note: null },
  { value: 'disabled', label: 'Disabled', tone: 'danger', note: null },
];

const loginChoices: readonly ToneChoice[] = [
  { value: 'unlocked', label: 'Unlocked', tone: 'success', note: null },
  { value: 'locked', label: 'Locked', tone: 'warning', note: null },
];

/** The three settings of the app. `onChange` decides whether to ask for confirmation. */
export function AppSettings(props: {
  config: AppConfig;
  reason: string | null;
  pending: ConfigChange['control'] | null;
  onChange: (change: ConfigChange, effect: Effect) => void;
}) {
  const { config, reason, pending, onChange } = props;
  const { disabled, locked, maxDatabaseResults } = config;

  const applyState = ({ change, effect }: StateChange) => onChange(change, effect);
  const setMaximum = (next: number) =>
    onChange(
      {
        control: 'max-db-results',
        send: (labelState) =>
          call(setMaxDbResults, { ...labelState, maxDatabaseResults: next, expected: maxDatabaseResults }),
      },
      getMaxDbResultsEffect(maxDatabaseResults, next),
    );

  return (
    <>
      {reason !== null && <p className="warning">{reason}</p>}
      <div className={styles.settings}>
        <ToneSelect
          label="Enabled or disabled"
          description="When disabled, the app refuses logins and runs no functions"
          choices={stateChoices}
          value={disabled ? 'disabled' : 'enabled'}
          onChange={(value) => applyState(createDisabledChange(config, value === 'disabled'))}
          reason={reason}
          pending={pending === 'disabled'}
        />
        <ToneSelect
          label="Locked or unlocked"
          description="When locked, logins are blocked and background work keeps running"
          choices={loginChoices}
          value={locked ? 'locked' : 'unlocked'}
          onChange={(value) => applyState(createLockedChange(config, value === 'locked'))}
          reason={reason}
          pending={pending === 'locked'}
        />
        <ToneSelect
          label="Max database results"
          description="Max rows a query may return"
          choices={maximumChoices(maxDatabaseResults)}
          value={String(maxDatabaseResults)}
          onChange={(value) => setMaximum(Number(value))}
          reason={reason}
          pending={pending === 'max-db-results'}
          searchable
        />
      </div>
    </>
  );
}

/** The specified choices, plus the current value if it is a different one. */
function maximumChoices(current: number): ToneChoice[] {
  const counts = [...new Set([...maxDbResultsChoices, current])].sort((a, b) => a - b);
  return counts.map((count) => {
    const tone = getMaxDbResultsTone(count);
    return {
      value: String(count),
      label: formatCount(count),
      tone,
      note: labelByTone[tone] === null ? null : tone === 'danger' ? 'very high' : 'high',
    };
  });
}
