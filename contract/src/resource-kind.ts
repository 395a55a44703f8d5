/**
 * What an entry of the audit trail can be about. Users choose some ids, such as the name of a
 * dashboard, so only the kind and the id together say which thing is meant.
 */
export const resourceKinds = [
  'app',
  'dashboard',
  'dataSource',
  'databaseHost',
  'grant',
  'integration',
  'schedule',
  'schema',
  'session',
  'team',
] as const;
export type ResourceKind = (typeof resourceKinds)[number];
