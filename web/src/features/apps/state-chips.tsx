import type { AppState } from '@portal/contract/attention';
import { IconAlertTriangle, IconCircleOff, IconLock, IconRefreshOff } from '@tabler/icons-react';
import { StatusChip } from '../../ui/status-chip.tsx';
import type { Tone } from '../../ui/tone.ts';
import styles from './apps-page.module.css';

interface Appearance {
  readonly label: string;
  readonly tone: Tone;
  readonly Icon: typeof IconLock;
}

const appearances: Readonly<Record<AppState, Appearance>> = {
  'halted-sync': { label: 'Sync halted', tone: 'danger', Icon: IconRefreshOff },
  'failing-function': { label: 'Failing', tone: 'danger', Icon: IconAlertTriangle },
  'disabled-app': { label: 'Disabled', tone: 'warning', Icon: IconCircleOff },
  'locked-app': { label: 'Locked', tone: 'warning', Icon: IconLock },
};

const order = ['halted-sync', 'failing-function', 'disabled-app', 'locked-app'] as const satisfies AppState[];

/** Sorts the states, the most urgent first. */
function sortStates(states: readonly AppState[]): AppState[] {
  return order.filter((state) => states.includes(state));
}

/** Returns the labels of the states, the most urgent first. */
export function getStateLabels(states: readonly AppState[]): string[] {
  return sortStates(states).map((state) => appearances[state].label);
}

/** Returns how many apps have each state, for a filter. */
export function countStates(apps: readonly { readonly states: readonly AppState[] }[]) {
  return order.map((state) => ({
    name: appearances[state].label,
    tone: appearances[state].tone,
    count: apps.filter(({ states }) => states.includes(state)).length,
  }));
}

/** What is unusual about an app; nothing for most. */
export function StateChips({ states }: { states: readonly AppState[] }) {
  if (states.length === 0) return null;
  return (
    <span className={styles.states}>
      {sortStates(states).map((state) => {
        const { label, tone, Icon } = appearances[state];
        return <StatusChip key={state} tone={tone} label={label} icon={<Icon size={13} stroke={1.8} aria-hidden />} />;
      })}
    </span>
  );
}
