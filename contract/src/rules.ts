/** The rules that an endpoint or a socket declares, and the server enforces. */
import type { Action } from './actions.ts';
import type { ResourceKind } from './resource-kind.ts';

/** The largest body, in bytes, that most endpoints accept, and all that need no session. */
export const usualBodyBytes = 16 * 1024;

/**
 * Who may use it:
 *
 * - `open`: everyone, without a session.
 * - `session`: everyone who is signed in.
 * - an action: signed-in users whom the access policy permits this action.
 * - `sync.view-or-machine`: also a configured service account, for any app of its environments.
 * - `session-or-token`: also a monitoring system with the configured token.
 * - `secret-address`: everyone who knows the secret in the path.
 */
export type May = 'open' | 'session' | Action | 'sync.view-or-machine' | 'session-or-token' | 'secret-address';

/** What a call can be about. The server has one finder for each. */
export type Subject = Exclude<ResourceKind, 'session'> | 'anySchema' | 'apps';

/**
 * For each subject, the field of the request or the path that names it; null if the call names none
 * and lists those that the caller may see.
 */
type About<Field extends string = string> = { readonly [S in Subject]?: Field | null };

/**
 * An entry of the audit trail. The call records one of the actions if there are several, and a more
 * exact description where it has one.
 */
export interface Recorded {
  readonly action: string | readonly [string, ...string[]];
  readonly description: string;
  /** Whether the response reveals something. It is only sent if the entry is written. */
  readonly isReveal?: true;
  /**
   * Whether the response shows personal data to everyone who may view it, read-only sessions
   * included. The first of equal views of a session within an hour is recorded.
   */
  readonly isView?: true;
}

/**
 * The server limits how many calls of a class run at the same time, in total and of each user:
 *
 * - `light`: takes milliseconds.
 * - `heavy`: takes seconds, or waits for other systems.
 * - `bulk`: keeps the server's processor busy with megabytes.
 */
export interface Cost {
  readonly class: 'light' | 'heavy' | 'bulk';
  /** The largest accepted body, or frame of a socket, in bytes. */
  readonly maxBodyBytes: number;
}

export interface Rules<Field extends string = string> {
  readonly may: May;
  /** Empty if the call is about the environment as a whole. */
  readonly about: About<Field>;
  /** False for what changes and reveals nothing. */
  readonly recorded: false | Recorded;
  readonly cost: Cost;
}

interface CostOptions {
  readonly maxBodyBytes?: number;
}

export function light({ maxBodyBytes = usualBodyBytes }: CostOptions = {}): Cost {
  return { class: 'light', maxBodyBytes };
}

export function heavy({ maxBodyBytes = usualBodyBytes }: CostOptions = {}): Cost {
  return { class: 'heavy', maxBodyBytes };
}

export function bulk({ maxBodyBytes = usualBodyBytes }: CostOptions = {}): Cost {
  return { class: 'bulk', maxBodyBytes };
}

/** Returns whether callers without a session or HTTP Basic are refused. */
export function needsSession(may: May): boolean {
  return may !== 'open' && may !== 'session-or-token' && may !== 'secret-address';
}

/** Returns the action that the access policy decides about; null if every user may. */
export function getAction(may: May): Action | null {
  switch (may) {
    case 'open':
    case 'session':
    case 'session-or-token':
    case 'secret-address':
      return null;
    case 'sync.view-or-machine':
      return 'sync.view';
    default:
      return may;
  }
}
