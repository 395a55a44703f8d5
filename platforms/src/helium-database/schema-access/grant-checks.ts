import pg from 'pg';
import { AccessFailure } from './access-failure.ts';
import type { RoleFacts } from './grant-facts.ts';
import type { SchemaState } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

/**
 * Throws when the team must not have the schema, or the app would stop working, with everything
 * that is in the way and, where something can be run to mend it, that SQL.
 */
export function checkTeam({ appRole, schemaName }: SchemaState, team: string, facts: RoleFacts): void {
  if (facts.team === null) {
    throw refusal([`There is no database user ${team} on the server that holds the schema ${schemaName}.`]);
  }
  const faults = facts.team.unfit.map((fault) => `${team} cannot be given a schema: it ${fault}.`);
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
 * Throws when the portal's own user could not make the grant, with all it lacks and the SQL that
 * mends it.
 */
export function checkPortalUser(
  { appRole, owner }: SchemaState,
  { team, membershipWanted }: { readonly team: string; readonly membershipWanted: boolean },
  facts: RoleFacts,
): void {
  const { user, database, version } = facts;
  const faults: string[] = [];
  const strangers = [...new Set([...facts.strangers, ...(facts.mayActAsTeam ? [] : [team])])];
  if (strangers.length > 0) {
    const options = version < 160000 ? '' : ' WITH INHERIT TRUE, SET TRUE';
    const grants = strangers.map((role) => `GRANT ${quoted(role)} TO ${quoted(user)}${options};`);
    faults.push(`The portal's user ${user} may not act for ${listed(strangers)}. Run: ${grants.join(' ')}`);
  }
  if (facts.foreignSuperusers.length > 0) {
    faults.push(
      `Some of it belongs to ${listed(facts.foreignSuperusers)}, for whom only a superuser may act. ` +
        'Let one run the SQL that Generate SQL writes.',
    );
  }
  if (membershipWanted && !facts.mayGrantTeam) {
    const admin = version < 160000 ? ' WITH ADMIN OPTION' : ' WITH ADMIN TRUE, INHERIT TRUE, SET TRUE';
    faults.push(
      `The portal's user ${user} may not make ${appRole} a member of ${team}, which the app needs to go on working. ` +
        `Run: GRANT ${quoted(team)} TO ${quoted(user)}${admin};`,
    );
  }
  if (!facts.mayCreateInDatabase && owner !== team) {
    faults.push(
      `The portal's user ${user} may not create schemas in ${database}, which giving one away needs. ` +
        `Run: GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(user)};`,
    );
  }
  if (faults.length > 0) throw refusal(faults);
}

/** "a", "a and b", "a, b and c" */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function refusal(faults: readonly string[]): AccessFailure {
  return new AccessFailure(faults.join(' '), { status: 409 });
}
