/**
 * Who owns what in a schema, and who may do what there: as it is read from the catalogs, and as it
 * is kept so that it can be brought back later.
 */
import { z } from 'zod';

/** What an owner can be given, in words. The order is that of a plan's statements. */
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
  /** null: everybody, PUBLIC. */
  grantee: z.string().nullable(),
  privilege: z.string(),
  grantable: z.boolean(),
});
export type AclEntry = z.infer<typeof aclEntrySchema>;

/** null: nothing was ever granted or revoked, so that PostgreSQL's defaults hold. */
const aclSchema = z.array(aclEntrySchema).nullable();
export type Acl = z.infer<typeof aclSchema>;

const ownedObjectSchema = z.strictObject({
  kind: z.enum(kinds),
  /** Two objects are one when catalog and oid are the same, whatever they are called by then. */
  catalog: z.string(),
  oid: z.int(),
  /** Qualified and quoted: what comes behind `ALTER TABLE`. */
  identity: z.string(),
  owner: z.string(),
  acl: aclSchema,
  /** What was granted on single columns. */
  columns: z.array(z.strictObject({ name: z.string(), acl: z.array(aclEntrySchema) })),
  /**
   * Belongs to a table and changes hands with it, and only so: the sequence of a serial column, a
   * table's row type.
   */
  follows: z.boolean(),
});
export type OwnedObject = z.infer<typeof ownedObjectSchema>;

const membershipSchema = z.strictObject({
  role: z.string(),
  grantor: z.string(),
  admin: z.boolean(),
  /** null before PostgreSQL 16, where memberships have no such options. */
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
  /** What the app's role is a direct member of. */
  memberships: z.array(membershipSchema),
  /** What others get on objects that the app's role creates in this schema. */
  defaultPrivileges: z.array(defaultPrivilegesSchema),
});
export type SchemaState = z.infer<typeof schemaStateSchema>;

/** How many objects of each kind, the most first. */
export function countKinds(objects: readonly Pick<OwnedObject, 'kind'>[]): { kind: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count);
}
