import {
  type AppConfig,
  disableApp,
  fixedMessages,
  getMaxDbResultsTone,
  lockApp,
  maxDbResultsChoices,
  setMaxDbResults,
} from '@portal/contract/app-config';
import { call } from '../../lib/call.ts';
import { formatCount } from '../../lib/format.ts';
import styles from './app-config.module.css';
import { type Effect, effectOfDisabled, effectOfLocked, effectOfMaxDbResults } from './effects.ts';
import { wordByTone } from './entry-points.ts';
import { type ToneChoice, ToneSelect } from './tone-select.tsx';
import type { ConfigChange } from './use-app-config.ts';

const stateChoices: readonly ToneChoice[] = [
  { value: 'enabled', label: 'Enabled', tone: 'success', word: null },
  { value: 'disabled', label: 'Disabled', tone: 'danger', word: null },
];

const loginChoices: readonly ToneChoice[] = [
  { value: 'unlocked', label: 'Unlocked', tone: 'success', word: null },
  { value: 'locked', label: 'Locked', tone: 'warning', word: null },
];

/** The three settings of the whole app. `onChange` decides whether to ask first. */
export function AppSettings(props: {
  config: AppConfig;
  reason: string | null;
  pending: ConfigChange['control'] | null;
  onChange: (change: ConfigChange, effect: Effect) => void;
}) {
  const { config, reason, pending, onChange } = props;
  const { disabled, locked, maxDatabaseResults } = config;

  const setDisabled = (next: boolean) =>
    onChange(
      {
        control: 'disabled',
        send: (about) =>
          call(disableApp, {
            ...about,
            disabled: next,
            disabledMessage: fixedMessages.disabled,
            expected: disabled,
          }),
      },
      effectOfDisabled(next),
    );
  const setLocked = (next: boolean) =>
    onChange(
      {
        control: 'locked',
        send: (about) =>
          call(lockApp, { ...about, locked: next, lockedMessage: fixedMessages.locked, expected: locked }),
      },
      effectOfLocked(next),
    );
  const setMaximum = (next: number) =>
    onChange(
      {
        control: 'max-db-results',
        send: (about) => call(setMaxDbResults, { ...about, maxDatabaseResults: next, expected: maxDatabaseResults }),
      },
      effectOfMaxDbResults(maxDatabaseResults, next),
    );

  return (
    <div className={styles.settings}>
      <ToneSelect
        label="Enabled or disabled"
        description="Disabled refuses logins and runs no functions"
        choices={stateChoices}
        value={disabled ? 'disabled' : 'enabled'}
        onChange={(value) => setDisabled(value === 'disabled')}
        reason={reason}
        pending={pending === 'disabled'}
      />
      <ToneSelect
        label="Locked or unlocked"
        description="Locked blocks logins, background work goes on"
        choices={loginChoices}
        value={locked ? 'locked' : 'unlocked'}
        onChange={(value) => setLocked(value === 'locked')}
        reason={reason}
        pending={pending === 'locked'}
      />
      <ToneSelect
        label="Max database results"
        description="Rows a query may return"
        choices={maximumChoices(maxDatabaseResults)}
        value={String(maxDatabaseResults)}
        onChange={(value) => setMaximum(Number(value))}
        reason={reason}
        pending={pending === 'max-db-results'}
        searchable
      />
    </div>
  );
}

/** The specified choices, and the current value where somebody set another one on the platform. */
function maximumChoices(current: number): ToneChoice[] {
  const counts = [...new Set([...maxDbResultsChoices, current])].sort((a, b) => a - b);
  return counts.map((count) => {
    const tone = getMaxDbResultsTone(count);
    return {
      value: String(count),
      label: formatCount(count),
      tone,
      word: wordByTone[tone] === null ? null : tone === 'danger' ? 'very high' : 'high',
    };
  });
}
