import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { Tone } from '../../ui/tone.ts';

/** What an integration needs, from "somebody, now" on. */
const states = [
  { label: 'halted', tone: 'danger', is: ({ status }: SyncIntegration) => status === 'Halted' },
  { label: 'stale', tone: 'danger', is: ({ health }: SyncIntegration) => health === 'Stale' },
  { label: 'late', tone: 'warning', is: ({ health }: SyncIntegration) => health === 'Late' },
  { label: 'disabled', tone: 'neutral', is: ({ status }: SyncIntegration) => status === 'Disabled' },
  { label: 'fresh', tone: 'success', is: () => true },
] as const satisfies readonly { label: string; tone: Tone; is: (of: SyncIntegration) => boolean }[];

function rankOf(integration: SyncIntegration): number {
  return states.findIndex(({ is }) => is(integration));
}

export function toneOf(integration: SyncIntegration): Tone {
  return states[rankOf(integration)]?.tone ?? 'neutral';
}

/** A sorted copy; those that need the same are in the order of their names. */
export function worstFirst(integrations: readonly SyncIntegration[]): readonly SyncIntegration[] {
  return integrations.toSorted((one, other) => rankOf(one) - rankOf(other) || one.appName.localeCompare(other.appName));
}

/** How many are in each state; states nobody is in are left out. */
export function summaryOf(integrations: readonly SyncIntegration[]) {
  return states.flatMap(({ label, tone }, rank) => {
    const count = integrations.filter((integration) => rankOf(integration) === rank).length;
    return count === 0 ? [] : [{ label, tone, count }];
  });
}
