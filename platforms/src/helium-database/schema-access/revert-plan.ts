/**
 * Plans how a schema returns to its state before a grant. Objects that no longer exist are skipped.
 * New objects of the team go to the schema's previous owner, and the team loses all privileges on
 * them.
 */
import pg from 'pg';
import {
  type AclDifference,
  type AclStatement,
  type AclTarget,
  aclStatements,
  afterOwnerChange,
  diffAcls,
  effectiveAcl,
  isGrantableByOthers,
  roleOrPublic,
  withRoles,
} from './acl.ts';
import { alterOwner, getAclType, grantTarget } from './alter-owner.ts';
import { alterDefaultPrivilegesSql, membershipRevoke, type Step } from './grant-plan.ts';
import type { AclDefaults } from './read-schema-state.ts';
import type { AclEntry, Membership, OwnedObject, SchemaState } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

export interface RevertFacts {
  readonly version: number;
  readonly defaults: AclDefaults;
  /** Whether a role still exists; nothing can be granted to a role that does not. */
  readonly exists: (role: string) => boolean;
}

export interface RevertPlan {
  readonly steps: readonly Step[];
  readonly objects: readonly OwnedObject[];
  /** Roles that receive objects. */
  readonly receivers: readonly string[];
}

/** @param team the team that received the grant */
export function planRevert(before: SchemaState, now: SchemaState, team: string, facts: RevertFacts): RevertPlan {
  const schema = quoted(now.schemaName);
  const steps: Step[] = [];
  const add = (...statements: string[]) => steps.push(...statements.map((sql) => ({ sql })));
  const objectsBefore = new Map(before.objects.map((object) => [getObjectKey(object), object]));
  const targets = now.objects.map((object) => ({
    object,
    ...toTarget(object, objectsBefore.get(getObjectKey(object)), { before, team, facts }),
  }));
  const moved = targets.filter(({ object, owner }) => !object.follows && object.owner !== owner);

  const memberships = membershipSteps(before, now, team, facts);
  add(...memberships.granted);
  if (now.owner !== before.owner) add(`ALTER SCHEMA ${schema} OWNER TO ${quoted(before.owner)};`);
  const privileges = targets.flatMap((target) => aclSteps(target, facts));
  const temporaryGrants = planTemporaryGrants(before, now, {
    schema,
    facts,
    owners: moved.map(({ owner }) => owner),
    acting: privileges.flatMap(({ as }) => as ?? []),
  });
  add(...temporaryGrants.opening);
  for (const { object, owner } of moved) steps.push({ sql: alterOwner(object, owner), object });
  add(...withRoles(privileges), ...temporaryGrants.closing);
  add(...defaultSteps(before, now, facts), ...memberships.revoked);
  const receivers = [...(now.owner === before.owner ? [] : [before.owner]), ...moved.map(({ owner }) => owner)];
  return { steps, objects: moved.map(({ object }) => object), receivers: [...new Set(receivers)] };
}

/** Identifies an object even if it was renamed. */
export function getObjectKey({ catalog, oid }: Pick<OwnedObject, 'catalog' | 'oid'>): string {
  return `${catalog} ${oid}`;
}

/**
 * Plans temporary privileges on the schema. A new owner needs CREATE on the schema, and a grantor
 * needs USAGE, but a superuser may have set up objects without them. The last statements restore
 * the schema's privileges.
 */
function planTemporaryGrants(
  before: SchemaState,
  now: SchemaState,
  { schema, facts, owners, acting }: { schema: string; facts: RevertFacts; owners: string[]; acting: string[] },
): { readonly opening: string[]; readonly closing: string[] } {
  const { owner } = before;
  const wanted = effectiveAcl(before.acl, owner, facts.defaults.n);
  const currentAcl = afterOwnerChange(effectiveAcl(now.acl, now.owner, facts.defaults.n), now.owner, owner);
  const target = {
    on: `SCHEMA ${schema}`,
    owner,
    grantableByOthers: isGrantableByOthers([...currentAcl, ...wanted], owner),
  };
  const isMissing = (privilege: string) => (role: string) =>
    !currentAcl.some((entry) => entry.privilege === privilege && (entry.grantee === null || entry.grantee === role));
  const entries = (roles: readonly string[], privilege: string) =>
    [...new Set(roles)]
      .filter(isMissing(privilege))
      .map((grantee) => ({ grantor: owner, grantee, privilege, grantable: false }));
  const temporaryEntries = [...entries(owners, 'CREATE'), ...entries(acting, 'USAGE')];
  return {
    opening: withRoles(aclStatements({ granted: temporaryEntries, revoked: [], narrowed: [] }, target)),
    closing: withRoles(restore([...currentAcl, ...temporaryEntries], wanted, facts, target)),
  };
}

interface Target {
  readonly owner: string;
  /** The privileges to restore; null to leave them unchanged. */
  readonly acl: readonly AclEntry[] | null;
  readonly columns: OwnedObject['columns'];
}

function toTarget(
  object: OwnedObject,
  objectsBefore: OwnedObject | undefined,
  { before, team, facts: { defaults } }: { before: SchemaState; team: string; facts: RevertFacts },
): Target {
  const type = getAclType(object.kind);
  if (objectsBefore) {
    const acl = type ? effectiveAcl(objectsBefore.acl, objectsBefore.owner, defaults[type]) : null;
    return { owner: objectsBefore.owner, acl, columns: objectsBefore.columns };
  }
  const owner = object.owner === team ? before.owner : object.owner;
  const hadDefaults = before.defaultPrivileges.some(({ acl }) => acl.some(({ grantee }) => grantee === team));
  if (hadDefaults || !type || team === owner) return { owner, acl: null, columns: object.columns };
  const without = (entries: readonly AclEntry[]) => entries.filter(({ grantee }) => grantee !== team);
  const remaining = afterOwnerChange(effectiveAcl(object.acl, object.owner, defaults[type]), object.owner, owner);
  return {
    owner,
    acl: without(remaining),
    columns: object.columns.map(({ name, acl }) => ({ name, acl: without(acl) })),
  };
}

function aclSteps(
  { object, owner, acl, columns }: Target & { readonly object: OwnedObject },
  facts: RevertFacts,
): AclStatement[] {
  const on = grantTarget(object);
  const type = getAclType(object.kind);
  if (on === undefined || type === undefined || acl === null) return [];
  const now = afterOwnerChange(effectiveAcl(object.acl, object.owner, facts.defaults[type]), object.owner, owner);
  const difference = diffAcls(now, acl);
  const columnAcls = [...object.columns, ...columns].flatMap((column) => column.acl);
  const grantableByOthers = isGrantableByOthers([...now, ...acl, ...columnAcls], owner);
  const names = new Set([...object.columns, ...columns].map(({ name }) => name));
  const getAcl = (where: OwnedObject['columns'], name: string) => where.find((one) => one.name === name)?.acl ?? [];
  return [
    ...restore(now, acl, facts, { on, owner, grantableByOthers }),
    ...[...names].flatMap((name) => {
      const renamed = afterOwnerChange(getAcl(object.columns, name), object.owner, owner);
      const left = renamed.filter((entry) => !isRevokedWithTable(entry, difference));
      return restore(left, getAcl(columns, name), facts, { on, owner, grantableByOthers, column: quoted(name) });
    }),
  ];
}

/** Whether revoking a privilege on the table also revokes this one on the column. */
function isRevokedWithTable(entry: AclEntry, { revoked }: AclDifference): boolean {
  return revoked.some(
    ({ grantor, grantee, privilege }) =>
      grantor === entry.grantor && grantee === entry.grantee && privilege === entry.privilege,
  );
}

function restore(
  from: readonly AclEntry[],
  to: readonly AclEntry[],
  { exists }: RevertFacts,
  where: AclTarget,
): AclStatement[] {
  const rolesExist = ({ grantor, grantee }: AclEntry) => exists(grantor) && (grantee === null || exists(grantee));
  return aclStatements(diffAcls(from.filter(rolesExist), to.filter(rolesExist)), where);
}

function defaultSteps(before: SchemaState, now: SchemaState, facts: RevertFacts): string[] {
  if (!facts.exists(now.appRole)) return [];
  const prefix = alterDefaultPrivilegesSql(now.appRole, quoted(now.schemaName));
  const getAcl = (state: SchemaState, objects: string) =>
    state.defaultPrivileges.find((defaults) => defaults.objects === objects)?.acl ?? [];
  return (['TABLES', 'SEQUENCES', 'FUNCTIONS', 'TYPES'] as const).flatMap((objects) => {
    const wanted = getAcl(before, objects).filter(({ grantee }) => grantee === null || facts.exists(grantee));
    const { granted, revoked, narrowed } = diffAcls(getAcl(now, objects), wanted);
    return [
      ...granted.map(
        ({ grantee, privilege, grantable }) =>
          `${prefix} GRANT ${privilege} ON ${objects} TO ${roleOrPublic(grantee)}${grantable ? ' WITH GRANT OPTION' : ''};`,
      ),
      ...revoked.map(
        ({ grantee, privilege }) => `${prefix} REVOKE ${privilege} ON ${objects} FROM ${roleOrPublic(grantee)};`,
      ),
      ...narrowed.map(
        ({ grantee, privilege }) =>
          `${prefix} REVOKE GRANT OPTION FOR ${privilege} ON ${objects} FROM ${roleOrPublic(grantee)};`,
      ),
    ];
  });
}

/**
 * Plans the memberships of the app's role that a grant may have changed: in the team and in the
 * schema's previous owner.
 */
function membershipSteps(before: SchemaState, now: SchemaState, team: string, { version, exists }: RevertFacts) {
  const affectedRoles = exists(now.appRole) ? [team, before.owner] : [];
  const getGrantKey = ({ role, grantor }: Membership) => JSON.stringify([role, version < 160000 ? '' : grantor]);
  const relevantMemberships = (state: SchemaState) =>
    state.memberships.filter(({ role }) => affectedRoles.includes(role));
  const nowByKey = new Map(relevantMemberships(now).map((membership) => [getGrantKey(membership), membership]));
  const wanted = new Set(relevantMemberships(before).map(getGrantKey));
  const differs = (a: Membership, b: Membership | undefined) =>
    !b || a.admin !== b.admin || a.inherit !== b.inherit || a.set !== b.set;
  return {
    granted: relevantMemberships(before)
      .filter((membership) => exists(membership.role) && differs(membership, nowByKey.get(getGrantKey(membership))))
      .map((membership) => restoreMembershipSql(membership, before.appRole, version)),
    revoked: relevantMemberships(now)
      .filter((membership) => !wanted.has(getGrantKey(membership)))
      .map((membership) => membershipRevoke(membership, now.appRole, version)),
  };
}

function restoreMembershipSql({ role, grantor, admin, inherit, set }: Membership, member: string, version: number) {
  const grant = `GRANT ${quoted(role)} TO ${quoted(member)}`;
  if (version < 160000) return `${grant}${admin ? ' WITH ADMIN OPTION' : ''};`;
  const option = (value: boolean | null) => (value === false ? 'FALSE' : 'TRUE');
  return `${grant} WITH ADMIN ${option(admin)}, INHERIT ${option(inherit)}, SET ${option(set)} GRANTED BY ${quoted(grantor)};`;
}
