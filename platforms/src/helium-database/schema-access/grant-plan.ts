import pg from 'pg';
import { afterOwnerChange, isGrantableByOthers, withRoles } from './acl.ts';
import { alterOwner, grantTarget } from './alter-owner.ts';
import type { AclEntry, DefaultPrivileges, Membership, OwnedObject, SchemaState } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

/** One statement and the relation it changes, if any, to find out which session locks it. */
export interface Step {
  readonly sql: string;
  readonly object?: Pick<OwnedObject, 'kind' | 'identity' | 'catalog' | 'oid'>;
}

/** Facts that are not part of the schema's state. */
export interface GrantFacts {
  /** `server_version_num`: 180004. */
  readonly version: number;
  /**
   * Whether the app's role already has all the team's privileges, directly or through other roles.
   */
  readonly isAlreadyMember: boolean;
  /**
   * Roles whose membership grants the portal's user can revoke; before PostgreSQL 16, all of them.
   */
  readonly revocableGrantors: readonly string[];
  /** All privileges that exist on objects of this kind. */
  readonly allPrivileges: Readonly<Record<DefaultPrivileges['objects'], readonly string[]>>;
}

export interface PlanGrantOptions {
  readonly team: string;
  /** The team that has the schema and loses it; null when there is none or it stays the same. */
  readonly formerTeam: string | null;
}

export interface GrantPlan {
  readonly steps: readonly Step[];
  /** Objects whose owner changes with a statement of their own. */
  readonly objects: readonly OwnedObject[];
  /** Whether the app's role has to become a member of the team. */
  readonly grantsMembership: boolean;
}

/**
 * Plans the statements that make the team the owner of the schema and everything in it. The plan is
 * empty when the team already is the owner.
 */
export function planGrant(state: SchemaState, { team, formerTeam }: PlanGrantOptions, facts: GrantFacts): GrantPlan {
  const { owner, appRole } = state;
  const schema = quoted(state.schemaName);
  const objects = state.objects.filter((object) => !object.follows && object.owner !== team);
  const steps: Step[] = [];
  const add = (...statements: string[]) => steps.push(...statements.map((sql) => ({ sql })));

  const grantsMembership = needsMembership(state, team, formerTeam, facts);
  if (grantsMembership) add(membershipGrant(team, appRole, facts.version));
  // The schema comes before its objects: an owner of objects needs CREATE on their schema.
  if (owner !== team) add(`ALTER SCHEMA ${schema} OWNER TO ${quoted(team)};`);
  if (state.acl !== null && !canCreate(team, afterOwnerChange(state.acl, owner, team))) {
    // The owner had revoked its own privileges.
    add(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${quoted(team)};`);
  }
  // This runs after the schema changes its owner, who would otherwise take over the entry. The
  // entry identifies the app's role later.
  if (owner !== team || !canCreate(appRole, state.acl ?? []))
    add(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${quoted(appRole)};`);
  for (const object of objects) steps.push({ sql: alterOwner(object, team), object });
  for (const objects of missingDefaults(state, team, facts)) {
    add(`${alterDefaultPrivilegesSql(appRole, schema)} GRANT ALL ON ${objects} TO ${quoted(team)};`);
  }
  if (formerTeam !== null) add(...revokeFormerTeam(state, formerTeam, team, facts));
  return { steps, objects, grantsMembership };
}

/**
 * Splits the memberships of the app's role in a team into those that the portal's user can revoke
 * and the rest.
 */
export function splitMemberships(
  team: string,
  { memberships }: SchemaState,
  { version, revocableGrantors }: GrantFacts,
) {
  const all = memberships.filter(({ role }) => role === team);
  const canRevoke = ({ grantor }: Membership) => version < 160000 || revocableGrantors.includes(grantor);
  return { revocable: all.filter(canRevoke), others: all.filter((membership) => !canRevoke(membership)) };
}

/**
 * Returns `REVOKE "team" FROM "app" …;`. In version 16 and later, several roles may have granted
 * the same membership.
 */
export function membershipRevoke({ role, grantor }: Membership, member: string, version: number): string {
  const by = version < 160000 ? '' : ` GRANTED BY ${quoted(grantor)}`;
  return `REVOKE ${quoted(role)} FROM ${quoted(member)}${by};`;
}

/** `ALTER DEFAULT PRIVILEGES FOR ROLE "app" IN SCHEMA "s"` */
export function alterDefaultPrivilegesSql(role: string, quotedSchema: string): string {
  return `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoted(role)} IN SCHEMA ${quotedSchema}`;
}

function membershipGrant(team: string, member: string, version: number): string {
  return `GRANT ${quoted(team)} TO ${quoted(member)}${version < 160000 ? '' : ' WITH INHERIT TRUE, SET TRUE'};`;
}

/** Privileges that the app's role has through a team it leaves are not permanent. */
function needsMembership(
  { memberships }: SchemaState,
  team: string,
  formerTeam: string | null,
  facts: GrantFacts,
): boolean {
  const isDirect = memberships.some(({ role, inherit, set }) => role === team && inherit !== false && set !== false);
  return !isDirect && (formerTeam !== null || !facts.isAlreadyMember);
}

function canCreate(role: string, schemaAcl: readonly AclEntry[]): boolean {
  const granted = schemaAcl.filter(({ grantee }) => grantee === role).map(({ privilege }) => privilege);
  return granted.includes('USAGE') && granted.includes('CREATE');
}

function missingDefaults(state: SchemaState, team: string, { allPrivileges }: GrantFacts) {
  return (['TABLES', 'SEQUENCES', 'FUNCTIONS', 'TYPES'] as const).filter((objects) => {
    const acl = state.defaultPrivileges.find((defaults) => defaults.objects === objects)?.acl ?? [];
    const granted = acl.filter(({ grantee }) => grantee === team).map(({ privilege }) => privilege);
    return allPrivileges[objects].some((privilege) => !granted.includes(privilege));
  });
}

/**
 * Revokes everything from the former team: privileges on objects it never owned, and default
 * privileges.
 */
function revokeFormerTeam(state: SchemaState, team: string, newTeam: string, facts: GrantFacts): string[] {
  const { appRole } = state;
  const schema = quoted(state.schemaName);
  const names = (acl: readonly { readonly grantee: string | null }[] | null) =>
    acl?.some(({ grantee }) => grantee === team) ?? false;
  const revokes = state.objects
    .filter((object) => object.owner !== team && (names(object.acl) || object.columns.some(({ acl }) => names(acl))))
    .flatMap((object) => {
      const target = grantTarget(object);
      if (target === undefined) return [];
      const sql = `REVOKE ALL ON ${target} FROM ${quoted(team)} CASCADE;`;
      const entries = [...(object.acl ?? []), ...object.columns.flatMap(({ acl }) => acl)];
      return [{ sql, as: isGrantableByOthers(entries, object.owner) ? newTeam : null }];
    });
  return [
    ...withRoles(revokes),
    ...state.defaultPrivileges
      .filter(({ acl }) => names(acl))
      .map(
        ({ objects }) => `${alterDefaultPrivilegesSql(appRole, schema)} REVOKE ALL ON ${objects} FROM ${quoted(team)};`,
      ),
    ...splitMemberships(team, state, facts).revocable.map((one) => membershipRevoke(one, appRole, facts.version)),
  ];
}
