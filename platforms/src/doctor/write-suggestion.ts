import type { HeliumDialect } from '../helium/dialect/dialect.config.ts';
import { isJsonObject } from '../helium/dialect/json-path.ts';

/**
 * Returns the lines of the configuration file that turn one dialect into another; none if they are
 * equal.
 */
export function writeSuggestion(environment: string, current: HeliumDialect, suggested: HeliumDialect): string[] {
  const lines = toLines(current, suggested, '      ');
  if (lines.length === 0) return [];
  return ['environments:', `  - name: ${JSON.stringify(environment)}`, '    helium:', ...lines];
}

function toLines(current: object, suggested: object, indent: string): string[] {
  const old = new Map(Object.entries(current));
  return Object.entries(suggested).flatMap(([name, value]: [string, unknown]) => {
    const before: unknown = old.get(name);
    if (isJsonObject(value)) {
      const inner = toLines(isJsonObject(before) ? before : {}, value, `${indent}  `);
      return inner.length === 0 ? [] : [`${indent}${name}:`, ...inner];
    }
    // JSON is YAML, and keeps the text "true" apart from the value.
    return value === before ? [] : [`${indent}${name}: ${JSON.stringify(value)}`];
  });
}
