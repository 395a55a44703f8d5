import type { AppListDialect } from '../helium/dialect/dialect.config.ts';
import { isJsonObject, readPath } from '../helium/dialect/json-path.ts';
import { areTexts, areTextsOrNull, findList, matchFields } from './match-fields.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the dialect in which the list of apps can be read, as far as its names and values show.
 */
export function suggestAppList(current: AppListDialect, document: unknown): AppListDialect {
  const list = Array.isArray(readPath(document, current.list)) ? current.list : findList(document);
  const entries = list === undefined ? undefined : readPath(document, list);
  if (list === undefined || !Array.isArray(entries)) return current;
  const { id, name, fqdn, schemaName } = current.fields;
  const found = matchFields(
    [
      {
        name: 'id',
        configured: id,
        patterns: [/^(app|application)?(id|uuid|guid)$/, /(id|uuid|guid)$/],
        accepts: (values) => values.some((value) => uuid.test(String(value))),
      },
      {
        name: 'name',
        configured: name,
        patterns: [/^(app|application)?(name|title|label)$/, /(name|title|label)$/],
        accepts: areTexts,
      },
      { name: 'fqdn', configured: fqdn, patterns: [/(fqdn|host|hostname|domain|url)$/], accepts: areTextsOrNull },
      { name: 'schemaName', configured: schemaName, patterns: [/schema(name)?$/, /schema/], accepts: areTexts },
    ],
    entries.filter(isJsonObject),
  );
  return { ...current, list, fields: { ...current.fields, ...found } };
}
