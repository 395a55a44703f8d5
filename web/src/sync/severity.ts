import type { SyncIntegration } from '@portal/contract/sync/integration';
import type { Tone } from '../ui/tone.ts';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

type Facts = Pick<SyncIntegration, 'appName' | 'status' | 'health'>;

/** The states of an integration, the most urgent first. */
const states = [
  { name: 'halted', tone: 'danger', matches: ({ status }: Facts) => status === 'Halted' },
  { name: 'stale', tone: 'danger', matches: ({ health }: Facts) => health === 'Stale' },
  { name: 'late', tone: 'warning', matches: ({ health }: Facts) => health === 'Late' },
  { name: 'disabled', tone: 'neutral', matches: ({ status }: Facts) => status === 'Disabled' },
  { name: 'fresh', tone: 'success', matches: () => true },
] as const satisfies readonly { name: string; tone: Tone; matches: (integration: Facts) => boolean }[];

export type SyncState = (typeof states)[number]['name'];

export interface StateCount {
  readonly name: SyncState;
  readonly tone: Tone;
  readonly count: number;
}

export function isSyncState(text: string): text is SyncState {
  return states.some(({ name }) => name === text);
}

/** Returns the first state that matches. */
export function getSyncState(integration: Facts): SyncState {
  return states[getRank(integration)]?.name ?? 'fresh';
}

export function getTone(integration: Facts): Tone {
  return states[getRank(integration)]?.tone ?? 'neutral';
}

/** Returns a number to sort by: the most urgent state is the smallest. */
export function getRank(integration: Facts): number {
  return states.findIndex(({ matches }) => matches(integration));
}

/** Returns a copy sorted by severity, then by name. */
export function sortBySeverity<T extends Facts>(integrations: readonly T[]): readonly T[] {
  return integrations
    .map((integration) => ({ integration, rank: getRank(integration) }))
    .sort((a, b) => a.rank - b.rank || collator.compare(a.integration.appName, b.integration.appName))
    .map(({ integration }) => integration);
}

/** Counts the integrations in each state. */
export function countByState(integrations: readonly Facts[]): readonly StateCount[] {
  const ranks = integrations.map(getRank);
  return states.map(({ name, tone }, rank) => ({ name, tone, count: ranks.filter((other) => other === rank).length }));
}
