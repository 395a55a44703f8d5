import pg from 'pg';
import type { Kind, OwnedObject } from './schema-state.ts';

/** The keywords after ALTER and, for kinds with privileges, after GRANT … ON. */
export const sqlKeywords: Readonly<Record<Kind, { readonly alter: string; readonly grantOn?: string }>> = {
  table: { alter: 'TABLE', grantOn: 'TABLE' },
  'partitioned table': { alter: 'TABLE', grantOn: 'TABLE' },
  'foreign table': { alter: 'FOREIGN TABLE', grantOn: 'TABLE' },
  view: { alter: 'VIEW', grantOn: 'TABLE' },
  'materialized view': { alter: 'MATERIALIZED VIEW', grantOn: 'TABLE' },
  sequence: { alter: 'SEQUENCE', grantOn: 'SEQUENCE' },
  function: { alter: 'FUNCTION', grantOn: 'FUNCTION' },
  procedure: { alter: 'PROCEDURE', grantOn: 'PROCEDURE' },
  // ALTER AGGREGATE has its own syntax for arguments; ALTER ROUTINE covers everything that can be
  // called.
  aggregate: { alter: 'ROUTINE', grantOn: 'ROUTINE' },
  'window function': { alter: 'FUNCTION', grantOn: 'FUNCTION' },
  domain: { alter: 'DOMAIN', grantOn: 'TYPE' },
  enum: { alter: 'TYPE', grantOn: 'TYPE' },
  'composite type': { alter: 'TYPE', grantOn: 'TYPE' },
  'range type': { alter: 'TYPE', grantOn: 'TYPE' },
  'multirange type': { alter: 'TYPE', grantOn: 'TYPE' },
  'base type': { alter: 'TYPE', grantOn: 'TYPE' },
  'row type': { alter: 'TYPE', grantOn: 'TYPE' },
  collation: { alter: 'COLLATION' },
  conversion: { alter: 'CONVERSION' },
  operator: { alter: 'OPERATOR' },
  'operator class': { alter: 'OPERATOR CLASS' },
  'operator family': { alter: 'OPERATOR FAMILY' },
  'text search configuration': { alter: 'TEXT SEARCH CONFIGURATION' },
  'text search dictionary': { alter: 'TEXT SEARCH DICTIONARY' },
  statistics: { alter: 'STATISTICS' },
};

export function alterOwner({ kind, identity }: Pick<OwnedObject, 'kind' | 'identity'>, owner: string): string {
  return `ALTER ${sqlKeywords[kind].alter} ${identity} OWNER TO ${pg.escapeIdentifier(owner)};`;
}

/**
 * Returns the target of GRANT and REVOKE, such as 'TABLE s.t'; undefined for kinds without
 * privileges.
 */
export function grantTarget({ kind, identity }: Pick<OwnedObject, 'kind' | 'identity'>): string | undefined {
  const { grantOn } = sqlKeywords[kind];
  return grantOn && `${grantOn} ${identity}`;
}

/** Returns PostgreSQL's letter for the default privileges of such objects. */
export function getAclType(kind: Kind): 'r' | 's' | 'f' | 'T' | undefined {
  switch (sqlKeywords[kind].grantOn) {
    case 'TABLE':
      return 'r';
    case 'SEQUENCE':
      return 's';
    case 'TYPE':
      return 'T';
    case undefined:
      return undefined;
    default:
      return 'f';
  }
}
