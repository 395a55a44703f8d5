import { isJsonObject } from '../helium/dialect/json-path.ts';
import { mask } from './mask-secrets.ts';

const maxLines = 40;
const maxSample = 20;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Describes a JSON document, a field with its types per line: `content[].uuid: UUID`. */
export function describeShape(document: unknown): string[] {
  const types = new Map<string, Set<string>>();
  collect(document, '', types);
  const lines = [...types].map(([path, found]) => `${path || '$'}: ${[...found].join(' or ')}`);
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more`] : lines;
}

function collect(value: unknown, path: string, types: Map<string, Set<string>>): void {
  const found = types.get(path) ?? new Set();
  types.set(path, found.add(getType(value)));
  if (Array.isArray(value)) for (const entry of value.slice(0, maxSample)) collect(entry, `${path}[]`, types);
  if (isJsonObject(value))
    for (const [name, part] of Object.entries(value)) collect(part, path === '' ? name : `${path}.${name}`, types);
}

function getType(value: unknown): string {
  if (value === null) return 'null';
  if (value === mask) return 'not shown';
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (typeof value === 'string') return uuid.test(value) ? 'UUID' : 'text';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value;
}
