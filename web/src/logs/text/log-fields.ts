/** A field of a line that is a JSON object; the names of nested fields are joined by dots. */
export interface LogField {
  readonly name: string;
  readonly value: string;
}

const maxFields = 200;
const maxDepth = 8;

/** Returns the fields of a JSON line, or null for other lines. */
export function readFields(text: string): LogField[] | null {
  if (!mayHaveFields(text)) return null;
  try {
    const fields: LogField[] = [];
    collectFields(JSON.parse(text), '', 0, fields);
    return fields;
  } catch {
    return null;
  }
}

export function hasField(text: string, { name, value }: LogField): boolean {
  return readFields(text)?.some((field) => field.name === name && field.value === value) ?? false;
}

function mayHaveFields(text: string): boolean {
  return text.startsWith('{') && text.trimEnd().endsWith('}');
}

function collectFields(value: unknown, name: string, depth: number, fields: LogField[]): void {
  if (fields.length >= maxFields) return;
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length > 0 && depth < maxDepth) {
    for (const [key, nested] of entries) collectFields(nested, name === '' ? key : `${name}.${key}`, depth + 1, fields);
  } else if (name !== '') {
    fields.push({ name, value: typeof value === 'string' ? value : JSON.stringify(value) });
  }
}
