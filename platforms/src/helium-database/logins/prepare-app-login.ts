import { toClientConfig } from '@portal/kit/postgres/database-address';
import { withClient } from '@portal/kit/postgres/pool';
import { portalMark, withComment } from '@portal/kit/postgres/portal-mark';
import { Conflict, NotFound, Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { toUnreachable } from '../connection-errors.ts';
import type { AppLogin } from './app-login.ts';

const quoted = pg.escapeIdentifier;
const timeoutMs = 5_000;

export interface AppLoginRequest {
  /** The display name of the data source. */
  readonly dataSource: string;
  /** Connects as the login that grants access, and creates the logins of apps. */
  readonly grantUrl: string;
  readonly schemaName: string;
  readonly login: AppLogin;
}

/** Returns the rows of one statement. */
type Query = <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[]) => Promise<readonly Row[]>;

/**
 * Creates the login of an app, or corrects it, unless it is a member of the role that owns the
 * app's schema, and of no other one. That is the app's role or, after a grant, its team. Throws
 * NotFound when there is no such schema, Conflict when its owner has more rights than an app may
 * have, and Unreachable with the reason when the login cannot be created.
 *
 * @param query queries the data source as a login that need not have any right
 */
export async function prepareAppLogin(query: Query, request: AppLoginRequest): Promise<void> {
  for (let attempt = 1; !isPrepared(await readFacts(query, request)); attempt += 1)
    await withGrantingClient(request, async (client) => {
      const run: Query = async (sql, parameters) => (await client.query(sql, parameters)).rows;
      try {
        await client.query(toSingleMessage(listSteps(await readFacts(run, request), request.login)));
      } catch (error) {
        if (attempt === maxAttempts || !isConcurrentChange(error)) throw error;
      }
    });
}

const maxAttempts = 5;

/** Whether another process, or another call of this one, did the same at the same time. */
function isConcurrentChange(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code = '', message } = error;
  // duplicate_object, unique_violation; PostgreSQL has no code of its own for the last one.
  return code === '42710' || code === '23505' || (code === 'XX000' && message.startsWith('tuple concurrently'));
}

interface Facts {
  readonly owner: string;
  /** Whether the owner can do what no app needs, such as creating roles. */
  readonly isPowerful: boolean;
  readonly isLogin: boolean | null;
  readonly memberOf: readonly string[];
  readonly versionNumber: number;
}

async function readFacts(query: Query, { schemaName, login, dataSource }: AppLoginRequest): Promise<Facts> {
  const [facts] = await query<Facts & pg.QueryResultRow>(
    `select o.rolname::text as owner, current_setting('server_version_num')::int as "versionNumber",
       o.rolsuper or o.rolcreaterole or o.rolcreatedb or o.rolreplication or o.rolbypassrls
         or o.rolname like 'pg\\_%' as "isPowerful",
       r.rolcanlogin and r.rolinherit as "isLogin",
       array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
         where m.member = r.oid) as "memberOf"
     from pg_namespace n join pg_roles o on o.oid = n.nspowner left join pg_roles r on r.rolname = $2
     where n.nspname = $1`,
    [schemaName, login.role],
  );
  if (!facts) throw new NotFound(`There is no schema ${schemaName} in the data source ${dataSource}.`);
  if (facts.isPowerful)
    throw new Conflict(
      `The schema ${schemaName} belongs to ${facts.owner}, which has more rights on the server than an app may have. ` +
        `The portal does not work in it, because its code would have them too. Ask an administrator to give the schema to the app's own role.`,
    );
  return facts;
}

function isPrepared({ owner, isLogin, memberOf }: Facts): boolean {
  return isLogin === true && memberOf.length === 1 && memberOf[0] === owner;
}

function listSteps({ owner, isLogin, memberOf, versionNumber }: Facts, login: AppLogin): string[] {
  const role = quoted(login.role);
  // Until version 16, members of a role may always become it, which this login never does.
  const options = versionNumber >= 160_000 ? ' with inherit true, set false' : '';
  return [
    `${isLogin === null ? 'create' : 'alter'} role ${role} login inherit password ${pg.escapeLiteral(login.verifier)}`,
    ...memberOf.filter((other) => other !== owner).map((other) => `revoke ${quoted(other)} from ${role}`),
    `grant ${quoted(owner)} to ${role}${options}`,
  ];
}

/** Several statements in one message are one transaction. */
function toSingleMessage(statements: readonly string[]): string {
  return statements.map((statement) => withComment(statement, portalMark)).join(';\n');
}

/**
 * Runs the work as the granting login, on a connection that is used for nothing else: it has rights
 * on every app, so no code of an app may run on it. Throws Unreachable with the reason.
 */
async function withGrantingClient(
  { grantUrl, dataSource, schemaName }: AppLoginRequest,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const config = {
    ...toClientConfig(grantUrl),
    application_name: 'portal granting',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  };
  try {
    await withClient(config, work);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== insufficientPrivilege)
      throw toUnreachable(`${dataSource} (with the granting login)`, error);
    throw new Unreachable(
      `The granting login of the data source ${dataSource} may not create the login of ${schemaName}: ${error.message}. ` +
        `npm run doctor shows the statement that is missing.`,
      { cause: error },
    );
  }
}

const insufficientPrivilege = '42501';
