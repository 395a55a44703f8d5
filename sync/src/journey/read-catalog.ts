import type { JourneyDataModel } from '@portal/platforms/journey/data-model-wire';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';

/** Converts a data model to the catalog the mapping uses. */
export function readJourneyCatalog({ models, app_user, datamodel_hash }: JourneyDataModel): JourneyCatalog {
  return {
    hash: datamodel_hash,
    userModel: app_user,
    models: Object.values(models).map(({ name, label, fields, belongs_to }) => ({
      name,
      label: label ?? name,
      fields: Object.values(fields).map(({ name, type, options, media }) => ({
        name,
        type: toPlainType(type),
        choices: toPlainType(type) === 'boolean' ? [] : (options ?? []).map(({ key }) => String(key)),
        ...(media !== null && { media }),
      })),
      belongsTo: Object.values(belongs_to).map(({ name, model }) => ({ name, model })),
    })),
  };
}

/** Removes the subtype that older backends append to a text type: 'text:name'. */
function toPlainType(type: string): string {
  return type.split(':', 1).join('');
}
