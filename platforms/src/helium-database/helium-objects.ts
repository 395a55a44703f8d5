/**
 * Matches the names of the objects that Helium itself creates in an app's schema. Apps have tables
 * and views of their own whose names begin and end with two underscores.
 */
const heliumNamePattern =
  '^__(he_|identity_|notification_|payment|(logging_log|scheduled_function_result|sms_result)__$)';

/** A condition on a column of object names: whether the object belongs to the app. */
export function isAppObjectSql(nameColumn: string): string {
  return `${nameColumn} !~ '${heliumNamePattern}'`;
}
