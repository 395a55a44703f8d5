import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { isConnectionLost, toUnreachable } from '../connection-errors.ts';

export interface GrantingLogin {
  /** The display name of the data source. */
  readonly dataSource: string;
  /** Connects as the login that grants access, and creates the logins of apps. */
  readonly grantUrl: string;
  /** Default: 5 s. */
  readonly statementTimeoutMs?: number;
  /** For work that follows one another: stays open. Default: one for this work only. */
  readonly connection?: Pool;
}

const defaultTimeoutMs = 5_000;
const insufficientPrivilege = '42501';

/**
 * Opens a connection of the granting login once it is used.
 *
 * @param lockTimeoutMs default: none
 */
export function openGranting({
  grantUrl,
  statementTimeoutMs = defaultTimeoutMs,
  lockTimeoutMs,
}: Pick<GrantingLogin, 'grantUrl' | 'statementTimeoutMs'> & { readonly lockTimeoutMs?: number }): Pool {
  return createPool(grantUrl, {
    applicationName: 'portal granting',
    max: 1,
    searchPath: 'pg_catalog',
    connectTimeoutMs: defaultTimeoutMs,
    statementTimeoutMs,
    ...(lockTimeoutMs !== undefined && { lockTimeoutMs }),
    comment: portalMark,
  });
}

/**
 * Runs the work as the granting login, on a connection that is used for nothing else: it has rights
 * on every app, so no code of an app may run on it, nor functions and operators that others create
 * in `public`. Throws Unreachable with the reason.
 *
 * @param what completes 'may not'
 */
export async function withGranting<T>(
  login: GrantingLogin,
  what: string,
  work: (connection: Pool) => Promise<T>,
): Promise<T> {
  const { dataSource } = login;
  const connection = login.connection ?? openGranting(login);
  try {
    return await work(connection);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) && !isConnectionLost(error)) throw error;
    if (!(error instanceof pg.DatabaseError) || error.code !== insufficientPrivilege)
      throw toUnreachable(`${dataSource} (with the granting login)`, error);
    throw new Unreachable(
      `The granting login of the data source ${dataSource} may not ${what}: ${error.message}. ` +
        'npm run doctor shows the statement that is missing.',
      { cause: error },
    );
  } finally {
    if (connection !== login.connection) await connection.end();
  }
}
