/**
 * How a schema becomes what it was before a grant. What is gone by then is passed over; what has
 * come since and belongs to the team goes to whom the schema belonged, and the team keeps nothing
 * on it.
 */
import pg from 'pg';
import {
  type AclDifference,
  type AclPlace,
  type AclStatement,
  aclStatements,
  afterOwnerChange,
  differenceOf,
  effectiveAcl,
  inRoles,
  isPassedOn,
  roleOrPublic,
} from './acl.ts';
import { aclTypeOf, alterOwner, grantTarget } from './alter-owner.ts';
import { defaultsFor, membershipRevoke, type Step } from './grant-plan.ts';
import type { AclDefaults } from './read-schema-state.ts';
import type { AclEntry, Membership, OwnedObject, SchemaState } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

export interface RevertFacts {
  readonly version: number;
  readonly defaults: AclDefaults;
  /** Whether a role still exists: nothing can be granted to one that is gone. */
  readonly exists: (role: string) => boolean;
}

export interface RevertPlan {
  readonly steps: readonly Step[];
  readonly objects: readonly OwnedObject[];
  /** Roles that something is given to. */
  readonly receivers: readonly string[];
}

/** @param team the one it was granted to */
export function planRevert(before: SchemaState, now: SchemaState, team: string, facts: RevertFacts): RevertPlan {
  const schema = quoted(now.schemaName);
  const steps: Step[] = [];
  const add = (...statements: string[]) => steps.push(...statements.map((sql) => ({ sql })));
  const old = new Map(before.objects.map((object) => [keyOf(object), object]));
  const targets = now.objects.map((object) => ({
    object,
    ...targetOf(object, old.get(keyOf(object)), { before, team, facts }),
  }));
  const moved = targets.filter(({ object, owner }) => !object.follows && object.owner !== owner);

  const memberships = membershipSteps(before, now, team, facts);
  add(...memberships.granted);
  if (now.owner !== before.owner) add(`ALTER SCHEMA ${schema} OWNER TO ${quoted(before.owner)};`);
  const privileges = targets.flatMap((target) => aclSteps(target, facts));
  const visit = visitOf(before, now, {
    schema,
    facts,
    owners: moved.map(({ owner }) => owner),
    acting: privileges.flatMap(({ as }) => as ?? []),
  });
  add(...visit.begins);
  for (const { object, owner } of moved) steps.push({ sql: alterOwner(object, owner), object });
  add(...inRoles(privileges), ...visit.ends);
  add(...defaultSteps(before, now, facts), ...memberships.revoked);
  const receivers = [...(now.owner === before.owner ? [] : [before.owner]), ...moved.map(({ owner }) => owner)];
  return { steps, objects: moved.map(({ object }) => object), receivers: [...new Set(receivers)] };
}

/** Two objects are one when this is the same, whatever they are called by then. */
export function keyOf({ catalog, oid }: Pick<OwnedObject, 'catalog' | 'oid'>): string {
  return `${catalog} ${oid}`;
}

/**
 * Nobody can be given an object in a schema they may not create in, or grant anything there without
 * seeing it; some could, before, by a superuser's help. So they are let in for the while, and what
 * the schema had is restored at the end.
 */
function visitOf(
  before: SchemaState,
  now: SchemaState,
  { schema, facts, owners, acting }: { schema: string; facts: RevertFacts; owners: string[]; acting: string[] },
): { readonly begins: string[]; readonly ends: string[] } {
  const { owner } = before;
  const wanted = effectiveAcl(before.acl, owner, facts.defaults.n);
  const found = afterOwnerChange(effectiveAcl(now.acl, now.owner, facts.defaults.n), now.owner, owner);
  const place = { on: `SCHEMA ${schema}`, owner, passedOn: isPassedOn([...found, ...wanted], owner) };
  const lacks = (privilege: string) => (role: string) =>
    !found.some((entry) => entry.privilege === privilege && (entry.grantee === null || entry.grantee === role));
  const entries = (roles: readonly string[], privilege: string) =>
    [...new Set(roles)]
      .filter(lacks(privilege))
      .map((grantee) => ({ grantor: owner, grantee, privilege, grantable: false }));
  const passes = [...entries(owners, 'CREATE'), ...entries(acting, 'USAGE')];
  return {
    begins: inRoles(aclStatements({ granted: passes, revoked: [], narrowed: [] }, place)),
    ends: inRoles(restore([...found, ...passes], wanted, facts, place)),
  };
}

interface Target {
  readonly owner: string;
  /** The privileges it shall have; null to leave them as they will be. */
  readonly acl: readonly AclEntry[] | null;
  readonly columns: OwnedObject['columns'];
}

function targetOf(
  object: OwnedObject,
  old: OwnedObject | undefined,
  { before, team, facts: { defaults } }: { before: SchemaState; team: string; facts: RevertFacts },
): Target {
  const type = aclTypeOf(object.kind);
  if (old) {
    const acl = type ? effectiveAcl(old.acl, old.owner, defaults[type]) : null;
    return { owner: old.owner, acl, columns: old.columns };
  }
  const owner = object.owner === team ? before.owner : object.owner;
  const hadDefaults = before.defaultPrivileges.some(({ acl }) => acl.some(({ grantee }) => grantee === team));
  if (hadDefaults || !type || team === owner) return { owner, acl: null, columns: object.columns };
  const without = (entries: readonly AclEntry[]) => entries.filter(({ grantee }) => grantee !== team);
  const kept = afterOwnerChange(effectiveAcl(object.acl, object.owner, defaults[type]), object.owner, owner);
  return {
    owner,
    acl: without(kept),
    columns: object.columns.map(({ name, acl }) => ({ name, acl: without(acl) })),
  };
}

function aclSteps(
  { object, owner, acl, columns }: Target & { readonly object: OwnedObject },
  facts: RevertFacts,
): AclStatement[] {
  const on = grantTarget(object);
  const type = aclTypeOf(object.kind);
  if (on === undefined || type === undefined || acl === null) return [];
  const now = afterOwnerChange(effectiveAcl(object.acl, object.owner, facts.defaults[type]), object.owner, owner);
  const difference = differenceOf(now, acl);
  const columnAcls = [...object.columns, ...columns].flatMap((column) => column.acl);
  const passedOn = isPassedOn([...now, ...acl, ...columnAcls], owner);
  const names = new Set([...object.columns, ...columns].map(({ name }) => name));
  const aclOf = (where: OwnedObject['columns'], name: string) => where.find((one) => one.name === name)?.acl ?? [];
  return [
    ...restore(now, acl, facts, { on, owner, passedOn }),
    ...[...names].flatMap((name) => {
      const renamed = afterOwnerChange(aclOf(object.columns, name), object.owner, owner);
      const left = renamed.filter((entry) => !isSwept(entry, difference));
      return restore(left, aclOf(columns, name), facts, { on, owner, passedOn, column: quoted(name) });
    }),
  ];
}

/** Revoking a privilege on a table revokes it on its columns, too. */
function isSwept(entry: AclEntry, { revoked }: AclDifference): boolean {
  return revoked.some(
    ({ grantor, grantee, privilege }) =>
      grantor === entry.grantor && grantee === entry.grantee && privilege === entry.privilege,
  );
}

function restore(
  from: readonly AclEntry[],
  to: readonly AclEntry[],
  { exists }: RevertFacts,
  where: AclPlace,
): AclStatement[] {
  const isThere = ({ grantor, grantee }: AclEntry) => exists(grantor) && (grantee === null || exists(grantee));
  return aclStatements(differenceOf(from.filter(isThere), to.filter(isThere)), where);
}

function defaultSteps(before: SchemaState, now: SchemaState, facts: RevertFacts): string[] {
  if (!facts.exists(now.appRole)) return [];
  const prefix = defaultsFor(now.appRole, quoted(now.schemaName));
  const aclOf = (state: SchemaState, objects: string) =>
    state.defaultPrivileges.find((defaults) => defaults.objects === objects)?.acl ?? [];
  return (['TABLES', 'SEQUENCES', 'FUNCTIONS', 'TYPES'] as const).flatMap((objects) => {
    const wanted = aclOf(before, objects).filter(({ grantee }) => grantee === null || facts.exists(grantee));
    const { granted, revoked, narrowed } = differenceOf(aclOf(now, objects), wanted);
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
 * Of the memberships of the app's role, those a grant may have touched: in the team, and in who had
 * the schema.
 */
function membershipSteps(before: SchemaState, now: SchemaState, team: string, { version, exists }: RevertFacts) {
  const touched = exists(now.appRole) ? [team, before.owner] : [];
  const grantOf = ({ role, grantor }: Membership) => JSON.stringify([role, version < 160000 ? '' : grantor]);
  const of = (state: SchemaState) => state.memberships.filter(({ role }) => touched.includes(role));
  const nowByKey = new Map(of(now).map((membership) => [grantOf(membership), membership]));
  const wanted = new Set(of(before).map(grantOf));
  const isOther = (a: Membership, b: Membership | undefined) =>
    !b || a.admin !== b.admin || a.inherit !== b.inherit || a.set !== b.set;
  return {
    granted: of(before)
      .filter((membership) => exists(membership.role) && isOther(membership, nowByKey.get(grantOf(membership))))
      .map((membership) => membershipGrantBack(membership, before.appRole, version)),
    revoked: of(now)
      .filter((membership) => !wanted.has(grantOf(membership)))
      .map((membership) => membershipRevoke(membership, now.appRole, version)),
  };
}

function membershipGrantBack({ role, grantor, admin, inherit, set }: Membership, member: string, version: number) {
  const grant = `GRANT ${quoted(role)} TO ${quoted(member)}`;
  if (version < 160000) return `${grant}${admin ? ' WITH ADMIN OPTION' : ''};`;
  const option = (value: boolean | null) => (value === false ? 'FALSE' : 'TRUE');
  return `${grant} WITH ADMIN ${option(admin)}, INHERIT ${option(inherit)}, SET ${option(set)} GRANTED BY ${quoted(grantor)};`;
}
