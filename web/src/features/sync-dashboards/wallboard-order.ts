import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { Tone } from '../../ui/tone.ts';

/** The states of an integration, the most urgent first. */
const states = [
  { label: 'halted', tone: 'danger', matches: ({ status }: SyncIntegration) => status === 'Halted' },
  { label: 'stale', tone: 'danger', matches: ({ health }: SyncIntegration) => health === 'Stale' },
  { label: 'late', tone: 'warning', matches: ({ health }: SyncIntegration) => health === 'Late' },
  { label: 'disabled', tone: 'neutral', matches: ({ status }: SyncIntegration) => status === 'Disabled' },
  { label: 'fresh', tone: 'success', matches: () => true },
] as const satisfies readonly { label: string; tone: Tone; matches: (integration: SyncIntegration) => boolean }[];

function getRank(integration: SyncIntegration): number {
  return states.findIndex(({ matches }) => matches(integration));
}

export function getTone(integration: SyncIntegration): Tone {
  return states[getRank(integration)]?.tone ?? 'neutral';
}

/** Returns a copy sorted by severity, then by name. */
export function sortBySeverity(integrations: readonly SyncIntegration[]): readonly SyncIntegration[] {
  return integrations.toSorted(
    (one, other) => getRank(one) - getRank(other) || one.appName.localeCompare(other.appName),
  );
}

/** Counts the integrations in each state. Empty states are omitted. */
export function countByState(integrations: readonly SyncIntegration[]) {
  return states.flatMap(({ label, tone }, rank) => {
    const count = integrations.filter((integration) => getRank(integration) === rank).length;
    return count === 0 ? [] : [{ label, tone, count }];
  });
}
