/**
 * The owners and privileges in a schema, as read from the catalogs and as stored for a later
 * revert.
 */
import { z } from 'zod';

/** The kinds of objects that have an owner, in the order of a plan's statements. */
export const kinds = [
  'table',
  'partitioned table',
  'foreign table',
  'view',
  'materialized view',
  'sequence',
  'function',
  'procedure',
  'aggregate',
  'window function',
  'domain',
  'enum',
  'composite type',
  'range type',
  'multirange type',
  'base type',
  'row type',
  'collation',
  'conversion',
  'operator',
  'operator class',
  'operator family',
  'text search configuration',
  'text search dictionary',
  'statistics',
] as const;
export type Kind = (typeof kinds)[number];

const aclEntrySchema = z.strictObject({
  grantor: z.string(),
  /** Null means PUBLIC. */
  grantee: z.string().nullable(),
  privilege: z.string(),
  grantable: z.boolean(),
});
export type AclEntry = z.infer<typeof aclEntrySchema>;

/** Null means that nothing was ever granted or revoked, so PostgreSQL's defaults apply. */
const aclSchema = z.array(aclEntrySchema).nullable();
export type Acl = z.infer<typeof aclSchema>;

const ownedObjectSchema = z.strictObject({
  kind: z.enum(kinds),
  /** Catalog and oid identify an object even if it is renamed. */
  catalog: z.string(),
  oid: z.int(),
  /** Qualified and quoted, for use after `ALTER TABLE`. */
  identity: z.string(),
  owner: z.string(),
  acl: aclSchema,
  /** Privileges on single columns. */
  columns: z.array(z.strictObject({ name: z.string(), acl: z.array(aclEntrySchema) })),
  /**
   * The object belongs to a table and changes its owner only with it: the sequence of a serial
   * column or a table's row type.
   */
  follows: z.boolean(),
});
export type OwnedObject = z.infer<typeof ownedObjectSchema>;

const membershipSchema = z.strictObject({
  role: z.string(),
  grantor: z.string(),
  admin: z.boolean(),
  /** Null before PostgreSQL 16, where memberships have no such options. */
  inherit: z.boolean().nullable(),
  set: z.boolean().nullable(),
});
export type Membership = z.infer<typeof membershipSchema>;

const defaultPrivilegesSchema = z.strictObject({
  objects: z.enum(['TABLES', 'SEQUENCES', 'FUNCTIONS', 'TYPES']),
  acl: z.array(aclEntrySchema),
});
export type DefaultPrivileges = z.infer<typeof defaultPrivilegesSchema>;

export const schemaStateSchema = z.strictObject({
  schemaName: z.string(),
  owner: z.string(),
  acl: aclSchema,
  /** The role the app works as. */
  appRole: z.string(),
  objects: z.array(ownedObjectSchema),
  /** Roles that the app's role is a direct member of. */
  memberships: z.array(membershipSchema),
  /** Default privileges on objects that the app's role creates in this schema. */
  defaultPrivileges: z.array(defaultPrivilegesSchema),
});
export type SchemaState = z.infer<typeof schemaStateSchema>;

/** Counts the objects of each kind, largest count first. */
export function countKinds(objects: readonly Pick<OwnedObject, 'kind'>[]): { kind: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count);
}
