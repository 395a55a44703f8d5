/** Identifies the statements of an app. */
export interface AppRule {
  /** The role the app works as; null when it is not known. */
  readonly role: string | null;
  readonly schemaName: string;
}

/**
 * Characters that may be next to an unquoted identifier. A `"` would make it part of a longer one.
 */
const beside = "[][\\t\\n\\v\\f\\r !#%&'()*+,./:;<=>?@\\\\^`{|}~-]";

/**
 * Returns a PostgreSQL regular expression for texts that contain the schema name as a whole
 * identifier, quoted or not. It matches `clinic_001`, `CLINIC_001.visit`, and `"clinic_001"`, but
 * not `clinic_0010` or `"the clinic_001"`.
 */
export function namesSchema(schemaName: string): string {
  const quoted = `(^|[^"])"${escapePattern(schemaName.replaceAll('"', '""'))}"($|[^"])`;
  if (!isPlain(schemaName)) return quoted;
  return `(^|${beside})${matchAnyCase(schemaName)}($|${beside})|${quoted}`;
}

/** Returns a regular expression for texts that contain one of the schema names. */
export function namesAnySchema(rules: readonly AppRule[]): string {
  return rules.map(({ schemaName }) => namesSchema(schemaName)).join('|');
}

/** Whether the name works without quotes; PostgreSQL folds unquoted identifiers to lower case. */
function isPlain(name: string): boolean {
  return /^[a-z_\u0080-\u{10ffff}][a-z0-9_$\u0080-\u{10ffff}]*$/u.test(name);
}

/** Matches every letter that PostgreSQL folds, which are the ASCII letters. */
function matchAnyCase(name: string): string {
  return name.replace(/[a-z]|\$/g, (sign) => (sign === '$' ? '[$]' : `[${sign}${sign.toUpperCase()}]`));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
