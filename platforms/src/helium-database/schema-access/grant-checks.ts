import { FailedActions } from '@portal/kit/problems';
import pg from 'pg';
import type { RoleFacts } from './grant-facts.ts';
import type { SchemaState } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

/**
 * Throws when the team must not receive the schema or the app would stop working. The message lists
 * every obstacle and the SQL that removes it, if there is any.
 */
export function checkTeam({ appRole, schemaName }: SchemaState, team: string, facts: RoleFacts): void {
  if (facts.team === null) {
    throw refusal([`There is no database user ${team} on the server that holds the schema ${schemaName}.`]);
  }
  const faults = facts.team.unfit.map((fault) => `${team} cannot receive a schema because it ${fault}.`);
  if (facts.team.isMemberOfApp && faults.length === 0) {
    faults.push(
      `${team} is a member of ${appRole}, the role the app works as, so that role cannot become a member of ${team}. ` +
        `Run: REVOKE ${quoted(appRole)} FROM ${quoted(team)};`,
    );
  }
  if (facts.version < 160000 && !facts.appInherits) {
    faults.push(
      `${appRole}, the role the app works as, does not inherit from roles it is a member of, so the app would stop working. ` +
        `Run: ALTER ROLE ${quoted(appRole)} INHERIT;`,
    );
  }
  if (faults.length > 0) throw refusal(faults);
}

/**
 * Throws when the portal's own user cannot make the grant. The message lists every missing
 * permission and the SQL that grants it.
 */
export function checkPortalUser(
  { appRole, owner }: SchemaState,
  { team, membershipWanted }: { readonly team: string; readonly membershipWanted: boolean },
  facts: RoleFacts,
): void {
  const { user, database, version } = facts;
  const faults: string[] = [];
  const inaccessibleRoles = [...new Set([...facts.strangers, ...(facts.mayActAsTeam ? [] : [team])])];
  if (inaccessibleRoles.length > 0) {
    const options = version < 160000 ? '' : ' WITH INHERIT TRUE, SET TRUE';
    const grants = inaccessibleRoles.map((role) => `GRANT ${quoted(role)} TO ${quoted(user)}${options};`);
    faults.push(`The portal's user ${user} cannot act for ${joinList(inaccessibleRoles)}. Run: ${grants.join(' ')}`);
  }
  if (facts.foreignSuperusers.length > 0) {
    faults.push(
      `Some objects belong to ${joinList(facts.foreignSuperusers)}, and only a superuser can act for that role. ` +
        'Ask a superuser to run the SQL from Generate SQL.',
    );
  }
  if (membershipWanted && !facts.mayGrantTeam) {
    const admin = version < 160000 ? ' WITH ADMIN OPTION' : ' WITH ADMIN TRUE, INHERIT TRUE, SET TRUE';
    faults.push(
      `The portal's user ${user} cannot make ${appRole} a member of ${team}, which the app needs to keep working. ` +
        `Run: GRANT ${quoted(team)} TO ${quoted(user)}${admin};`,
    );
  }
  if (!facts.mayCreateInDatabase && owner !== team) {
    faults.push(
      `The portal's user ${user} cannot create schemas in ${database}, which is required to change the schema's owner. ` +
        `Run: GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(user)};`,
    );
  }
  if (faults.length > 0) throw refusal(faults);
}

/** "a", "a and b", "a, b and c" */
export function joinList(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

function refusal(faults: readonly string[]): FailedActions {
  return new FailedActions(faults.join(' '), { status: 409 });
}
