/** Checks a configuration against the two data models. Each problem names its field. */
import type { ConfigProblem, SyncConfig } from '@portal/contract/sync/config';
import type { HeliumCatalog } from './helium-catalog.ts';
import type { JourneyCatalog } from './journey-catalog.ts';
import type { Mapping, MappingNote } from './object-map.ts';

interface MappingToCheck {
  readonly config: SyncConfig;
  readonly catalog: HeliumCatalog;
  readonly models: JourneyCatalog;
  /** Built from the other three. */
  readonly mapping: Mapping;
}

/**
 * Returns all problems; an empty list means that the configuration can be saved. Objects skipped on
 * purpose are no problem, and neither are single fields that cannot be synced.
 */
export function checkMapping({ config, catalog, models, mapping }: MappingToCheck): ConfigProblem[] {
  return [
    ...findUnknownNames('heliumToJourney.changeLogSkipTables', config.heliumToJourney.changeLogSkipTables, {
      known: catalog.tables.map(({ name }) => name),
      unknown: (name) => `Helium has no table ${name} in ${catalog.schema}.`,
    }),
    ...findUnknownNames('journeyToHelium.oplogSkipObjectTypes', config.journeyToHelium.oplogSkipObjectTypes, {
      known: models.models.map(({ name }) => name),
      unknown: (name) => `Journey has no object ${name}.`,
    }),
    ...mapping.notes.filter(({ severity }) => severity === 'refused').map(toConfigProblem),
    ...checkNotEmpty(config, mapping),
  ];
}

function findUnknownNames(
  field: string,
  names: readonly string[],
  { known, unknown }: { readonly known: readonly string[]; readonly unknown: (name: string) => string },
): ConfigProblem[] {
  const lower = new Set(known.map((name) => name.toLowerCase()));
  return names.filter((name) => !lower.has(name.toLowerCase())).map((name) => ({ field, reason: unknown(name) }));
}

function toConfigProblem({ table, model, field, reason }: MappingNote): ConfigProblem {
  const name = [table ?? model, field].filter((part) => part !== undefined).join('.');
  return { field: table === undefined ? 'journey.baseUrl' : 'helium.dbSchema', reason: `${name}: ${reason}` };
}

/** Both directions may be off on purpose when only enrollment is used. */
function checkNotEmpty(config: SyncConfig, mapping: Mapping): ConfigProblem[] {
  if (mapping.objects.length > 0) return [];
  if (config.enableHeliumToJourney || config.enableJourneyToHelium) {
    const reason = 'Nothing can be synced: no tracked object in Helium has the same name as an object in Journey.';
    return [{ field: 'helium.dbSchema', reason }];
  }
  if (config.journeyToHeliumEnrollment.enabled) return [];
  return [
    { field: 'enableHeliumToJourney', reason: 'Both directions and enrollment are off. Enable at least one of them.' },
  ];
}
