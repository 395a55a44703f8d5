import { useCallback } from 'react';
import type { Address } from '../../lib/address.ts';
import { useAddress } from '../../lib/use-address.ts';

/** What the wizard is open for. */
export type WizardPurpose =
  | { readonly kind: 'new' }
  | { readonly kind: 'update'; readonly id: string }
  | { readonly kind: 'clone'; readonly id: string };

/**
 * What of the page stands in its address, so that a link shows what I see. null: not chosen, or
 * closed.
 */
export interface DeploymentsChoices {
  /** The schedule whose details are open. */
  readonly schedule: string | null;
  readonly wizard: WizardPurpose | null;
  /** Resolved schedules too. */
  readonly withResolved: boolean;
  /** The calendar's month, 'YYYY-MM'; null: the present one. */
  readonly month: string | null;
  /** The day chosen in the calendar, 'YYYY-MM-DD'. */
  readonly day: string | null;
}

const monthShape = /^\d{4}-(0[1-9]|1[0-2])$/;
const dayShape = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** 'new', 'update-7' or 'clone-7': how the purpose stands in the address and names its draft. */
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
  const { month = '', day = '' } = address;
  return {
    schedule: address.schedule || null,
    wizard: parsePurpose(address.wizard ?? ''),
    withResolved: address.resolved === 'shown',
    month: monthShape.test(month) ? month : null,
    day: dayShape.test(day) ? day : null,
  };
}

/**
 * The address with the choices in it; what is as by default is left out, and what is not the page's
 * stays.
 */
export function writeChoices(address: Address, choices: DeploymentsChoices): Address {
  const { schedule: _schedule, wizard: _wizard, resolved: _resolved, month: _month, day: _day, ...rest } = address;
  const { schedule, wizard, withResolved, month, day } = choices;
  return {
    ...rest,
    ...(schedule && { schedule }),
    ...(wizard && { wizard: formatPurpose(wizard) }),
    ...(withResolved && { resolved: 'shown' }),
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
