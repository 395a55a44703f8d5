/** By what an app's statements are told from others. */
export interface AppRule {
  /** The role the app works as; null where it is not known. */
  readonly role: string | null;
  readonly schemaName: string;
}

/**
 * All that may stand beside an unquoted identifier and is no part of one; a `"` would make it a
 * part of a longer one.
 */
const beside = "[][\\t\\n\\v\\f\\r !#%&'()*+,./:;<=>?@\\\\^`{|}~-]";

/**
 * A regular expression of PostgreSQL for texts that name the schema as a whole identifier, quoted or not: `clinic_001`,
 * `CLINIC_001.visit` and `"clinic_001"`, never `clinic_0010` or `"the clinic_001"`.
 */
export function namesSchema(schemaName: string): string {
  const quoted = `(^|[^"])"${literally(schemaName.replaceAll('"', '""'))}"($|[^"])`;
  if (!isPlain(schemaName)) return quoted;
  return `(^|${beside})${inAnyCase(schemaName)}($|${beside})|${quoted}`;
}

/** Only such names may stand unquoted: PostgreSQL folds what is unquoted to lower case. */
function isPlain(name: string): boolean {
  return /^[a-z_\u0080-\u{10ffff}][a-z0-9_$\u0080-\u{10ffff}]*$/u.test(name);
}

/** Every letter that PostgreSQL folds, which are those of ASCII. */
function inAnyCase(name: string): string {
  return name.replace(/[a-z]|\$/g, (sign) => (sign === '$' ? '[$]' : `[${sign}${sign.toUpperCase()}]`));
}

function literally(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
