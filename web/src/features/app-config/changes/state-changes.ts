import { type AppConfig, disableApp, fixedMessages, lockApp } from '@portal/contract/app-config';
import { call } from '../../../api/call.ts';
import type { ConfigChange } from '../use-app-config.ts';
import { type Effect, getDisabledEffect, getLockedEffect } from './effects.ts';

/** A change of the app's state, and what it means for its users. */
export interface StateChange {
  readonly change: ConfigChange;
  readonly effect: Effect;
}

export function createDisabledChange({ disabled }: AppConfig, next: boolean): StateChange {
  return {
    change: {
      control: 'disabled',
      send: (context) =>
        call(disableApp, {
          ...context,
          disabled: next,
          disabledMessage: fixedMessages.disabled,
          expected: disabled,
        }),
    },
    effect: getDisabledEffect(next),
  };
}

export function createLockedChange({ locked }: AppConfig, next: boolean): StateChange {
  return {
    change: {
      control: 'locked',
      send: (context) =>
        call(lockApp, { ...context, locked: next, lockedMessage: fixedMessages.locked, expected: locked }),
    },
    effect: getLockedEffect(next),
  };
}

/**
 * Returns the change that an address requests, such as `disable`; null if there is none, or if the
 * app is already in that state.
 */
export function getRequestedChange(requested: string | undefined, config: AppConfig): StateChange | null {
  switch (requested) {
    case 'disable':
    case 'enable': {
      const next = requested === 'disable';
      return config.disabled === next ? null : createDisabledChange(config, next);
    }
    case 'lock':
    case 'unlock': {
      const next = requested === 'lock';
      return config.locked === next ? null : createLockedChange(config, next);
    }
    default:
      return null;
  }
}

/** Returns the state to which a change leads, such as `disabled`; null if there is none. */
export function describeState(requested: string): string | null {
  const states = { disable: 'disabled', enable: 'enabled', lock: 'locked', unlock: 'unlocked' };
  return Object.entries(states).find(([change]) => change === requested)?.[1] ?? null;
}
