import pg from 'pg';
import { afterOwnerChange, inRoles, isPassedOn } from './acl.ts';
import { alterOwner, grantTarget } from './alter-owner.ts';
import type { AclEntry, DefaultPrivileges, Membership, OwnedObject, SchemaState } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

/** One statement, and what it is about where that is a relation: to find out who locks it. */
export interface Step {
  readonly sql: string;
  readonly object?: Pick<OwnedObject, 'kind' | 'identity' | 'catalog' | 'oid'>;
}

/** What the state of a schema alone does not tell. */
export interface GrantFacts {
  /** `server_version_num`: 180004. */
  readonly version: number;
  /** Whether the app's role may do already all that the team may, directly or through others. */
  readonly isAlreadyMember: boolean;
  /** Whose memberships the portal's user may take away: before PostgreSQL 16 anybody's. */
  readonly revocableGrantors: readonly string[];
  /** All privileges there are on such objects. */
  readonly allPrivileges: Readonly<Record<DefaultPrivileges['objects'], readonly string[]>>;
}

export interface WantedGrant {
  readonly team: string;
  /** The team that has the schema now, and shall no longer; null when it is none, or this one. */
  readonly formerTeam: string | null;
}

export interface GrantPlan {
  readonly steps: readonly Step[];
  /** What changes hands by a statement of its own. */
  readonly objects: readonly OwnedObject[];
  /** Whether the app's role has to become a member of the team. */
  readonly grantsMembership: boolean;
}

/**
 * What has to run so that the team owns the schema and all that is in it. Empty when it is so
 * already.
 */
export function planGrant(state: SchemaState, { team, formerTeam }: WantedGrant, facts: GrantFacts): GrantPlan {
  const { owner, appRole } = state;
  const schema = quoted(state.schemaName);
  const objects = state.objects.filter((object) => !object.follows && object.owner !== team);
  const steps: Step[] = [];
  const add = (...statements: string[]) => steps.push(...statements.map((sql) => ({ sql })));

  const grantsMembership = needsMembership(state, team, formerTeam, facts);
  if (grantsMembership) add(membershipGrant(team, appRole, facts.version));
  // Before its objects: whoever shall own something in a schema must be allowed to create there.
  if (owner !== team) add(`ALTER SCHEMA ${schema} OWNER TO ${quoted(team)};`);
  if (state.acl !== null && !mayCreate(team, afterOwnerChange(state.acl, owner, team))) {
    // Its owner had revoked that from himself.
    add(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${quoted(team)};`);
  }
  // After the schema has its owner, who would take the entry over otherwise: it is how the app's
  // role is known later.
  if (owner !== team || !mayCreate(appRole, state.acl ?? []))
    add(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${quoted(appRole)};`);
  for (const object of objects) steps.push({ sql: alterOwner(object, team), object });
  for (const objects of missingDefaults(state, team, facts)) {
    add(`${defaultsFor(appRole, schema)} GRANT ALL ON ${objects} TO ${quoted(team)};`);
  }
  if (formerTeam !== null) add(...farewell(state, formerTeam, team, facts));
  return { steps, objects, grantsMembership };
}

/**
 * The memberships of the app's role in a team that the portal's user can take away, and those it
 * cannot.
 */
export function membershipsIn(team: string, { memberships }: SchemaState, { version, revocableGrantors }: GrantFacts) {
  const all = memberships.filter(({ role }) => role === team);
  const mayRevoke = ({ grantor }: Membership) => version < 160000 || revocableGrantors.includes(grantor);
  return { revocable: all.filter(mayRevoke), others: all.filter((membership) => !mayRevoke(membership)) };
}

/** `REVOKE "team" FROM "app" …;` On 16 and later several roles may have granted the same. */
export function membershipRevoke({ role, grantor }: Membership, member: string, version: number): string {
  const by = version < 160000 ? '' : ` GRANTED BY ${quoted(grantor)}`;
  return `REVOKE ${quoted(role)} FROM ${quoted(member)}${by};`;
}

/** `ALTER DEFAULT PRIVILEGES FOR ROLE "app" IN SCHEMA "s"` */
export function defaultsFor(role: string, quotedSchema: string): string {
  return `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoted(role)} IN SCHEMA ${quotedSchema}`;
}

function membershipGrant(team: string, member: string, version: number): string {
  return `GRANT ${quoted(team)} TO ${quoted(member)}${version < 160000 ? '' : ' WITH INHERIT TRUE, SET TRUE'};`;
}

/** What the app's role is through a team that goes does not last. */
function needsMembership(
  { memberships }: SchemaState,
  team: string,
  formerTeam: string | null,
  facts: GrantFacts,
): boolean {
  const isDirect = memberships.some(({ role, inherit, set }) => role === team && inherit !== false && set !== false);
  return !isDirect && (formerTeam !== null || !facts.isAlreadyMember);
}

function mayCreate(role: string, schemaAcl: readonly AclEntry[]): boolean {
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
 * The former team keeps nothing: not what it was granted on objects that were never its own, nor
 * what is to come.
 */
function farewell(state: SchemaState, team: string, newTeam: string, facts: GrantFacts): string[] {
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
      return [{ sql, as: isPassedOn(entries, object.owner) ? newTeam : null }];
    });
  return [
    ...inRoles(revokes),
    ...state.defaultPrivileges
      .filter(({ acl }) => names(acl))
      .map(({ objects }) => `${defaultsFor(appRole, schema)} REVOKE ALL ON ${objects} FROM ${quoted(team)};`),
    ...membershipsIn(team, state, facts).revocable.map((one) => membershipRevoke(one, appRole, facts.version)),
  ];
}
