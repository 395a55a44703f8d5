import type { Logger } from '@portal/kit/logger';
import type { Caller } from './caller.ts';
import type { Session, Sessions } from './sessions.ts';

interface User {
  readonly environment: string;
  readonly username: string;
}

/** A session that the platform no longer accepts. */
type RejectedSession = Pick<Caller, 'username' | 'environment' | 'origin'> & { readonly sessionId: string };

interface RightListener {
  /** Called whenever the platform accepts the user's credentials. */
  confirmed(user: User): Promise<void>;
  /**
   * Called when the platform no longer accepts those of a session, before the session ends, unless
   * the user has signed in with a new password.
   */
  lost(user: User): Promise<void>;
}

export interface SessionRightsOptions {
  readonly sessions: Sessions;
  readonly logger: Logger;
  /** Records in the audit trail that a session has ended. */
  readonly auditEnd: (session: RejectedSession) => Promise<void>;
}

/**
 * Keeps a session, and what its user created with it, as long as the platform accepts the user's
 * credentials.
 */
export class SessionRights {
  readonly #options: SessionRightsOptions;
  readonly #listeners: RightListener[] = [];

  constructor(options: SessionRightsOptions) {
    this.#options = options;
  }

  /** Registers a listener for as long as the server runs. */
  listen(listener: RightListener): void {
    this.#listeners.push(listener);
  }

  /** Reports that the platform has just accepted the user's credentials. */
  confirm(user: User): void {
    for (const listener of this.#listeners) {
      listener.confirmed(user).catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, 'could not save that the platform accepted a user');
      });
    }
  }

  /** Ends a session that the platform no longer accepts, on all nodes. */
  async end(session: Session, caller: Pick<Caller, 'environment' | 'origin'>): Promise<void> {
    const { sessions, auditEnd } = this.#options;
    const { id: sessionId, username, environment } = session;
    // The session ends last: if the database fails before, the next call finds it and tries again.
    if (!(await sessions.isOfOldPassword(session)))
      for (const listener of this.#listeners) await listener.lost({ username, environment });
    if (await sessions.endById(sessionId)) await auditEnd({ ...caller, username, sessionId });
  }
}
