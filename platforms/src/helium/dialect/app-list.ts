import { HeliumApp } from '../wire.ts';
import type { AppListDialect } from './dialect.config.ts';
import {
  type ListReading,
  readFields,
  readList,
  readOptionalText,
  requireText,
  showValue,
  UnreadableResponse,
} from './fields.ts';

/** Reads the list of apps. An app may lack its `fqdn`, which is then empty. */
export function readAppList({ list, fields }: AppListDialect, document: unknown): ListReading<HeliumApp> {
  return readList(document, list, (entry) => {
    const { id, name, fqdn, schemaName } = readFields(fields, entry);
    const app = {
      id: requireText(id, fields.id),
      name: requireText(name, fields.name),
      fqdn: readOptionalText(fqdn, fields.fqdn) ?? '',
      schemaName: requireText(schemaName, fields.schemaName),
    };
    if (!HeliumApp.safeParse(app).success) throw new UnreadableResponse(`${fields.id}: ${showValue(id)} is no UUID`);
    return app;
  });
}
