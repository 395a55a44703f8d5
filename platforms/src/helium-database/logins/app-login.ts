/**
 * The login with which the portal touches the relations of one app. It is a member of that app's
 * role alone: views, triggers, policies and functions of the app run with its rights, which are
 * those that the app's owner has anyway.
 */
import { createHmac } from 'node:crypto';
import type { Secret } from '@portal/kit/secret';
import { toScramVerifier } from './scram-verifier.ts';

export interface AppLogin {
  readonly role: string;
  /** What PostgreSQL stores of its password. Takes some milliseconds. */
  readonly verifier: string;
  /**
   * The role that the logins of all apps of the database are members of, once the sync has created
   * it: what they may do with the state of the sync.
   */
  readonly stateRole: string;
  /** Connects as this login. */
  readonly url: string;
}

/** PostgreSQL cuts longer names. */
const maxNameBytes = 63;
const digits = 12;

/**
 * Derives the login instead of storing it: the same for every process with this key. Roles belong
 * to a whole server, so the name also depends on the database, and on the key: two portals with
 * one data source do not replace each other's passwords.
 *
 * @param url the address of the data source, with any user
 */
export function deriveAppLogin(key: Secret, url: string, schemaName: string): AppLogin {
  const address = new URL(url);
  const derive = (purpose: string) =>
    createHmac('sha256', Buffer.from(key.reveal(), 'hex'))
      .update(JSON.stringify(['app login', purpose, address.pathname, schemaName]))
      .digest();
  const suffix = derive('name').toString('hex').slice(0, digits);
  const password = derive('password').toString('base64url');
  const role = `${cutToBytes(`portal_app_${schemaName}`, maxNameBytes - digits - 1)}_${suffix}`;
  address.username = encodeURIComponent(role);
  address.password = password;
  return {
    role,
    get verifier() {
      return toScramVerifier(password, derive('salt').subarray(0, 16));
    },
    stateRole: deriveStateRole(key, url),
    url: address.href,
  };
}

/** An access list has no room for thousands of logins, so their rights are those of one role. */
export function deriveStateRole(key: Secret, url: string): string {
  const derived = createHmac('sha256', Buffer.from(key.reveal(), 'hex'))
    .update(JSON.stringify(['sync state', new URL(url).pathname]))
    .digest('hex');
  return `portal_sync_state_${derived.slice(0, digits)}`;
}

function cutToBytes(text: string, bytes: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > bytes) cut = Array.from(cut).slice(0, -1).join('');
  return cut;
}
