/**
 * Privileges as sets of entries: what an ALTER … OWNER makes of them, and how one set becomes
 * another.
 */
import pg from 'pg';
import type { Acl, AclEntry } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

/** An entry without its grant option: what PostgreSQL keeps one of. */
const keyOf = ({ grantor, grantee, privilege }: AclEntry) => JSON.stringify([grantor, grantee, privilege]);

/**
 * PostgreSQL's own rule: the old owner is replaced wherever it stands, and what is double by then
 * becomes one.
 */
export function afterOwnerChange(entries: readonly AclEntry[], from: string, to: string): AclEntry[] {
  if (from === to) return [...entries];
  const renamed = (role: string) => (role === from ? to : role);
  const merged = new Map<string, AclEntry>();
  for (const entry of entries) {
    const grantee = entry.grantee === null ? null : renamed(entry.grantee);
    const next = { ...entry, grantor: renamed(entry.grantor), grantee };
    const twin = merged.get(keyOf(next));
    merged.set(keyOf(next), twin ? { ...next, grantable: next.grantable || twin.grantable } : next);
  }
  return [...merged.values()];
}

/**
 * What an object of that owner has when nothing was ever granted: `defaults` are those of some
 * owner named ''.
 */
export function effectiveAcl(acl: Acl, owner: string, defaults: readonly AclEntry[]): readonly AclEntry[] {
  return acl ?? afterOwnerChange(defaults, '', owner);
}

export interface AclDifference {
  readonly granted: readonly AclEntry[];
  readonly revoked: readonly AclEntry[];
  /** The privilege stays, the right to pass it on goes. */
  readonly narrowed: readonly AclEntry[];
}

export function differenceOf(from: readonly AclEntry[], to: readonly AclEntry[]): AclDifference {
  const had = new Map(from.map((entry) => [keyOf(entry), entry]));
  const wanted = new Map(to.map((entry) => [keyOf(entry), entry]));
  return {
    granted: to.filter((entry) => {
      const old = had.get(keyOf(entry));
      return !old || (entry.grantable && !old.grantable);
    }),
    revoked: from.filter((entry) => !wanted.has(keyOf(entry))),
    narrowed: from.filter((entry) => entry.grantable && wanted.get(keyOf(entry))?.grantable === false),
  };
}

/**
 * Whether somebody but the owner may pass something on. Then PostgreSQL chooses, of all roles the
 * portal's user may act for, any that can do it as the grantor of a statement, unless the role is
 * set.
 */
export function isPassedOn(entries: readonly AclEntry[], owner: string): boolean {
  return entries.some(({ grantee, grantable }) => grantable && grantee !== owner);
}

export interface AclStatement {
  readonly sql: string;
  /** The role to run it as; null for the portal's own user. */
  readonly as: string | null;
}

/** With the role set and reset around those that need one. */
export function inRoles(statements: readonly AclStatement[]): string[] {
  return statements.flatMap(({ sql, as }, index) => [
    ...(as !== null && statements[index - 1]?.as !== as ? [`SET LOCAL ROLE ${quoted(as)};`] : []),
    sql,
    ...(as !== null && statements[index + 1]?.as !== as ? ['RESET ROLE;'] : []),
  ]);
}

export interface AclPlace {
  /** `TABLE s.t`, `SCHEMA s` */
  readonly on: string;
  readonly owner: string;
  /** What `isPassedOn` says of the whole object, before and after. */
  readonly passedOn: boolean;
  /** Of the table, already quoted; the whole object when left out. */
  readonly column?: string;
}

/**
 * The statements for a difference. What is granted comes first, the owner's own grants before those
 * that build on them, so that nothing is revoked that something still rests on.
 */
export function aclStatements(
  { granted, revoked, narrowed }: AclDifference,
  { on, owner, passedOn, column }: AclPlace,
): AclStatement[] {
  const what = (privilege: string) => (column === undefined ? privilege : `${privilege} (${column})`);
  const by = (grantor: string, sql: string) => ({ sql, as: grantor === owner && !passedOn ? null : grantor });
  const ownFirst = (entries: readonly AclEntry[]) =>
    entries.toSorted((a, b) => Number(a.grantor !== owner) - Number(b.grantor !== owner));
  const ownLast = (entries: readonly AclEntry[]) => ownFirst(entries).reverse();
  return [
    ...ownFirst(granted).map(({ grantor, grantee, privilege, grantable }) =>
      by(
        grantor,
        `GRANT ${what(privilege)} ON ${on} TO ${roleOrPublic(grantee)}${grantable ? ' WITH GRANT OPTION' : ''};`,
      ),
    ),
    ...ownLast(revoked).map(({ grantor, grantee, privilege }) =>
      by(grantor, `REVOKE ${what(privilege)} ON ${on} FROM ${roleOrPublic(grantee)};`),
    ),
    ...ownLast(narrowed).map(({ grantor, grantee, privilege }) =>
      by(grantor, `REVOKE GRANT OPTION FOR ${what(privilege)} ON ${on} FROM ${roleOrPublic(grantee)};`),
    ),
  ];
}

export function roleOrPublic(grantee: string | null): string {
  return grantee === null ? 'PUBLIC' : quoted(grantee);
}
