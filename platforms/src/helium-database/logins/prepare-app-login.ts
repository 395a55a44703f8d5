import { portalMark, withComment } from '@portal/kit/postgres/portal-mark';
import { Conflict, NotFound, Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import type { AppLogin } from './app-login.ts';
import { isPowerfulSql, roleAttributesSql } from './role-attributes.ts';
import { type GrantingLogin, withGranting } from './with-granting.ts';

const quoted = pg.escapeIdentifier;

export interface AppLoginRequest extends GrantingLogin {
  readonly schemaName: string;
  readonly login: AppLogin;
  /**
   * Whether the server has refused its password: code of an app runs as this login, and may have
   * changed it.
   */
  readonly isRefused?: boolean;
}

/** Returns whether a server has refused the password of a login. */
export function isPasswordRefused(error: unknown): boolean {
  const refused = error instanceof Unreachable ? error.cause : error;
  return refused instanceof pg.DatabaseError && refused.code === '28P01';
}

/** Whether `prepareAppLogin` would change nothing. Throws as it does. */
export async function isAppLoginPrepared(query: Query, request: AppLoginRequest): Promise<boolean> {
  return !request.isRefused && isPrepared(await readFacts(query, request));
}

/** Returns the rows of one statement. */
type Query = <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[]) => Promise<readonly Row[]>;

/**
 * Creates the login of an app, or corrects it, unless it is a member of the role that owns the
 * app's schema, of the one that may use the state of the sync, and of no other one. The first is
 * the app's role or, after a grant, its team. Throws NotFound when there is no such schema,
 * Conflict when its owner or the login has more rights than an app may have, and Unreachable with
 * the reason when the login cannot be created.
 *
 * @param query queries the data source as a login that need not have any right
 */
export async function prepareAppLogin(query: Query, request: AppLoginRequest): Promise<void> {
  const { isRefused = false } = request;
  for (let attempt = 1; (isRefused && attempt === 1) || !isPrepared(await readFacts(query, request)); attempt += 1)
    await withGranting(request, `create the login of ${request.schemaName}`, async (granting) => {
      const run: Query = async (sql, parameters) => (await granting.query(sql, parameters)).rows;
      try {
        await granting.query(toSingleMessage(listSteps(await readFacts(run, request), request.login)));
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
  /** What someone has given the login: with BYPASSRLS, it would have the state of all apps. */
  readonly attributes: readonly string[];
  readonly memberOf: readonly string[];
  /** The role that may use the state of the sync; none while it does not exist. */
  readonly stateRoles: readonly string[];
  readonly versionNumber: number;
}

async function readFacts(query: Query, { schemaName, login, dataSource }: AppLoginRequest): Promise<Facts> {
  const [facts] = await query<Facts & pg.QueryResultRow>(
    `select o.rolname::text as owner, current_setting('server_version_num')::int as "versionNumber",
       ${isPowerfulSql('o')} as "isPowerful",
       r.rolcanlogin and r.rolinherit as "isLogin", ${roleAttributesSql('r')} as attributes,
       array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
         where m.member = r.oid) as "memberOf",
       array(select s.rolname::text from pg_roles s where s.rolname = $3) as "stateRoles"
     from pg_namespace n join pg_roles o on o.oid = n.nspowner left join pg_roles r on r.rolname = $2
     where n.nspname = $1`,
    [schemaName, login.role, login.stateRole],
  );
  if (!facts) throw new NotFound(`There is no schema ${schemaName} in the data source ${dataSource}.`);
  if (facts.isPowerful)
    throw new Conflict(
      `The schema ${schemaName} belongs to ${facts.owner}, which has more rights on the server than an app may have. ` +
        `The portal does not work in it, because its code would have them too. Ask an administrator to give the schema to the app's own role.`,
    );
  if (facts.attributes.length > 0)
    throw new Conflict(
      `The login ${login.role} of ${schemaName} has ${facts.attributes.join(', ')}, which no app may have. ` +
        'The portal does not use it until an administrator takes that away.',
    );
  return facts;
}

function isPrepared({ owner, isLogin, memberOf, stateRoles }: Facts): boolean {
  const wanted = [owner, ...stateRoles];
  return isLogin === true && memberOf.length === wanted.length && wanted.every((role) => memberOf.includes(role));
}

function listSteps(
  { owner, isLogin, memberOf, stateRoles, versionNumber }: Facts,
  login: Pick<AppLogin, 'role' | 'verifier'>,
): string[] {
  const wanted = [owner, ...stateRoles];
  const role = quoted(login.role);
  // Until version 16, members of a role may always become it, which this login never does.
  const options = versionNumber >= 160_000 ? ' with inherit true, set false' : '';
  return [
    `${isLogin === null ? 'create' : 'alter'} role ${role} login inherit password ${pg.escapeLiteral(login.verifier)}`,
    ...memberOf.filter((other) => !wanted.includes(other)).map((other) => `revoke ${quoted(other)} from ${role}`),
    ...wanted.map((other) => `grant ${quoted(other)} to ${role}${options}`),
  ];
}

/** Several statements in one message are one transaction. */
function toSingleMessage(statements: readonly string[]): string {
  return statements.map((statement) => withComment(statement, portalMark)).join(';\n');
}
