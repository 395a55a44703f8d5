import { useCallback } from 'react';
import type { Address } from '../../state/address.ts';
import { useAddress } from '../../state/use-address.ts';
import { isPeriod, type Period } from './schedule/schedule-periods.ts';

/** The schedule the wizard is open for. */
export type WizardPurpose =
  | { readonly kind: 'new' }
  | { readonly kind: 'update'; readonly id: string }
  | { readonly kind: 'clone'; readonly id: string };

/**
 * The page state kept in the address, so that a link shows the same view. null: not chosen or
 * closed.
 */
export interface DeploymentsChoices {
  /** The schedule whose details are open. */
  readonly schedule: string | null;
  readonly wizard: WizardPurpose | null;
  /** Whether resolved schedules are shown too. */
  readonly withResolved: boolean;
  /** The period whose schedules the table shows. */
  readonly period: Period | null;
  /** The month of the calendar, 'YYYY-MM'; null: the current one. */
  readonly month: string | null;
  /** The day chosen in the calendar, 'YYYY-MM-DD'. */
  readonly day: string | null;
}

const monthShape = /^\d{4}-(0[1-9]|1[0-2])$/;
const dayShape = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/**
 * Formats a purpose for the address and as the key of its draft: 'new', 'update-7' or 'clone-7'.
 */
export function formatPurpose(purpose: WizardPurpose): string {
  return purpose.kind === 'new' ? 'new' : `${purpose.kind}-${purpose.id}`;
}

/** The inverse of `purposeText`; null for anything else. */
export function parsePurpose(text: string): WizardPurpose | null {
  if (text === 'new') return { kind: 'new' };
  for (const kind of ['update', 'clone'] as const) {
    const id = text.startsWith(`${kind}-`) ? text.slice(kind.length + 1) : '';
    if (id !== '') return { kind, id };
  }
  return null;
}

export function readChoices(address: Address): DeploymentsChoices {
  const { month = '', day = '', period } = address;
  return {
    schedule: address.schedule || null,
    wizard: parsePurpose(address.wizard ?? ''),
    withResolved: address.resolved === 'shown',
    period: isPeriod(period) ? period : null,
    month: monthShape.test(month) ? month : null,
    day: dayShape.test(day) ? day : null,
  };
}

/** Returns the address with the choices. Default values are omitted, and other parameters stay. */
export function writeChoices(address: Address, choices: DeploymentsChoices): Address {
  const { schedule: _schedule, wizard: _wizard, resolved: _resolved, period: _period, ...others } = address;
  const { month: _month, day: _day, ...rest } = others;
  const { schedule, wizard, withResolved, period, month, day } = choices;
  return {
    ...rest,
    ...(schedule && { schedule }),
    ...(wizard && { wizard: formatPurpose(wizard) }),
    ...(withResolved && { resolved: 'shown' }),
    ...(period && { period }),
    ...(month && { month }),
    ...(day && { day }),
  };
}

export function useDeploymentsChoices(): [DeploymentsChoices, (next: Partial<DeploymentsChoices>) => void] {
  const [address, changeAddress] = useAddress();
  const change = useCallback(
    (next: Partial<DeploymentsChoices>) =>
      changeAddress((current) => writeChoices(current, { ...readChoices(current), ...next })),
    [changeAddress],
  );
  return [readChoices(address), change];
}
