/** Checks a configuration against the two data models; each problem names its field. */
import type { ConfigProblem, SyncConfig } from '@portal/contract/sync-config';
import type { HeliumCatalog } from './helium-catalog.ts';
import type { JourneyCatalog } from './journey-catalog.ts';
import type { Mapping, MappingNote } from './object-map.ts';

interface MappingToCheck {
  readonly config: SyncConfig;
  readonly catalog: HeliumCatalog;
  readonly models: JourneyCatalog;
  /** Made of these three. */
  readonly mapping: Mapping;
}

/** Returns nothing when it can be saved. What is skipped on purpose is no problem. */
export function checkMapping({ config, catalog, models, mapping }: MappingToCheck): ConfigProblem[] {
  return [
    ...unknownNames('heliumToJourney.changeLogSkipTables', config.heliumToJourney.changeLogSkipTables, {
      known: catalog.tables.map(({ name }) => name),
      unknown: (name) => `Helium has no table ${name} in ${catalog.schema}.`,
    }),
    ...unknownNames('journeyToHelium.oplogSkipObjectTypes', config.journeyToHelium.oplogSkipObjectTypes, {
      known: models.models.map(({ name }) => name),
      unknown: (name) => `Journey has no object ${name}.`,
    }),
    ...mapping.notes.filter(({ severity }) => severity === 'refused').map(problemOf),
    ...nothingToSync(config, mapping),
  ];
}

function unknownNames(
  field: string,
  names: readonly string[],
  { known, unknown }: { readonly known: readonly string[]; readonly unknown: (name: string) => string },
): ConfigProblem[] {
  const lower = new Set(known.map((name) => name.toLowerCase()));
  return names.filter((name) => !lower.has(name.toLowerCase())).map((name) => ({ field, reason: unknown(name) }));
}

function problemOf({ table, model, field, reason }: MappingNote): ConfigProblem {
  const name = [table ?? model, field].filter((part) => part !== undefined).join('.');
  return { field: table === undefined ? 'journey.baseUrl' : 'helium.dbSchema', reason: `${name}: ${reason}` };
}

/** Both directions may be off on purpose where only devices are enrolled. */
function nothingToSync(config: SyncConfig, mapping: Mapping): ConfigProblem[] {
  if (mapping.objects.length > 0) return [];
  if (config.enableHeliumToJourney || config.enableJourneyToHelium) {
    const reason = 'Nothing can be synced: no tracked object of Helium has the name of an object of Journey.';
    return [{ field: 'helium.dbSchema', reason }];
  }
  if (config.journeyToHeliumEnrollment.enabled) return [];
  return [
    { field: 'enableHeliumToJourney', reason: 'Neither direction is on, nor enrollment: there is nothing to do.' },
  ];
}
