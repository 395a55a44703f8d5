/**
 * Privileges as sets of entries: the effect of ALTER … OWNER on them, and the statements that turn
 * one set into another.
 */
import pg from 'pg';
import type { Acl, AclEntry } from './schema-state.ts';

const quoted = pg.escapeIdentifier;

/** Identifies an entry regardless of its grant option; PostgreSQL stores one entry per key. */
const getEntryKey = ({ grantor, grantee, privilege }: AclEntry) => JSON.stringify([grantor, grantee, privilege]);

/**
 * Applies PostgreSQL's rule for a change of owner: it replaces the old owner everywhere and merges
 * entries that become duplicates.
 */
export function afterOwnerChange(entries: readonly AclEntry[], from: string, to: string): AclEntry[] {
  if (from === to) return [...entries];
  const renamed = (role: string) => (role === from ? to : role);
  const merged = new Map<string, AclEntry>();
  for (const entry of entries) {
    const grantee = entry.grantee === null ? null : renamed(entry.grantee);
    const next = { ...entry, grantor: renamed(entry.grantor), grantee };
    const twin = merged.get(getEntryKey(next));
    merged.set(getEntryKey(next), twin ? { ...next, grantable: next.grantable || twin.grantable } : next);
  }
  return [...merged.values()];
}

/**
 * Returns the privileges on an object of that owner, including the defaults when nothing was ever
 * granted. In `defaults` the owner is ''.
 */
export function effectiveAcl(acl: Acl, owner: string, defaults: readonly AclEntry[]): readonly AclEntry[] {
  return acl ?? afterOwnerChange(defaults, '', owner);
}

export interface AclDifference {
  readonly granted: readonly AclEntry[];
  readonly revoked: readonly AclEntry[];
  /** The privilege stays, but its grant option is revoked. */
  readonly narrowed: readonly AclEntry[];
}

export function diffAcls(from: readonly AclEntry[], to: readonly AclEntry[]): AclDifference {
  const before = new Map(from.map((entry) => [getEntryKey(entry), entry]));
  const after = new Map(to.map((entry) => [getEntryKey(entry), entry]));
  return {
    granted: to.filter((entry) => {
      const old = before.get(getEntryKey(entry));
      return !old || (entry.grantable && !old.grantable);
    }),
    revoked: from.filter((entry) => !after.has(getEntryKey(entry))),
    narrowed: from.filter((entry) => entry.grantable && after.get(getEntryKey(entry))?.grantable === false),
  };
}

/**
 * Whether a role other than the owner has a grant option. If so, PostgreSQL chooses the grantor of
 * a statement among all roles that the portal's user is a member of, unless the role is set
 * explicitly.
 */
export function isGrantableByOthers(entries: readonly AclEntry[], owner: string): boolean {
  return entries.some(({ grantee, grantable }) => grantable && grantee !== owner);
}

export interface AclStatement {
  readonly sql: string;
  /** The role to run the statement as; null for the portal's own user. */
  readonly as: string | null;
}

/** Returns the SQL, setting and resetting the role around statements that need one. */
export function withRoles(statements: readonly AclStatement[]): string[] {
  return statements.flatMap(({ sql, as }, index) => [
    ...(as !== null && statements[index - 1]?.as !== as ? [`SET LOCAL ROLE ${quoted(as)};`] : []),
    sql,
    ...(as !== null && statements[index + 1]?.as !== as ? ['RESET ROLE;'] : []),
  ]);
}

export interface AclTarget {
  /** Such as `TABLE s.t` or `SCHEMA s`. */
  readonly on: string;
  readonly owner: string;
  /** The result of `isGrantableByOthers` for the whole object, before and after. */
  readonly grantableByOthers: boolean;
  /** A column of the table, quoted. Default: the whole object. */
  readonly column?: string;
}

/**
 * Returns the statements for a difference. Grants come first, starting with the owner's, because
 * later grants depend on them. That way no statement revokes a privilege another one still depends
 * on.
 */
export function aclStatements(
  { granted, revoked, narrowed }: AclDifference,
  { on, owner, grantableByOthers, column }: AclTarget,
): AclStatement[] {
  const toPrivilegeSql = (privilege: string) => (column === undefined ? privilege : `${privilege} (${column})`);
  const toStatement = (grantor: string, sql: string) => ({
    sql,
    as: grantor === owner && !grantableByOthers ? null : grantor,
  });
  const ownerFirst = (entries: readonly AclEntry[]) =>
    entries.toSorted((a, b) => Number(a.grantor !== owner) - Number(b.grantor !== owner));
  const ownerLast = (entries: readonly AclEntry[]) => ownerFirst(entries).reverse();
  return [
    ...ownerFirst(granted).map(({ grantor, grantee, privilege, grantable }) =>
      toStatement(
        grantor,
        `GRANT ${toPrivilegeSql(privilege)} ON ${on} TO ${roleOrPublic(grantee)}${grantable ? ' WITH GRANT OPTION' : ''};`,
      ),
    ),
    ...ownerLast(revoked).map(({ grantor, grantee, privilege }) =>
      toStatement(grantor, `REVOKE ${toPrivilegeSql(privilege)} ON ${on} FROM ${roleOrPublic(grantee)};`),
    ),
    ...ownerLast(narrowed).map(({ grantor, grantee, privilege }) =>
      toStatement(
        grantor,
        `REVOKE GRANT OPTION FOR ${toPrivilegeSql(privilege)} ON ${on} FROM ${roleOrPublic(grantee)};`,
      ),
    ),
  ];
}

export function roleOrPublic(grantee: string | null): string {
  return grantee === null ? 'PUBLIC' : quoted(grantee);
}
