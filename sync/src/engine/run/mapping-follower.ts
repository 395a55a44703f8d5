/**
 * Builds the mapping of an integration, and rebuilds it when one of the two data models changes.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import type { HeliumGateway } from '../../helium/helium-gateway.ts';
import type { RunHost } from '../../integration/run-host.ts';
import type { JourneyGateway } from '../../journey/journey-gateway.ts';
import { type AcceptedMapping, acceptMapping } from '../../mapping/accept-mapping.ts';
import { describeWarnings, listWarnings } from '../../mapping/describe-warnings.ts';
import type { HeliumCatalog } from '../../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../../mapping/journey-catalog.ts';
import { listPaused } from '../../mapping/list-paused.ts';
import { findDecimalTables, type Mapping } from '../../mapping/object-map.ts';
import { pairModels } from '../../mapping/pair-models.ts';
import { removeOtherRounded } from '../../sync-state/rounded-records.store.ts';
import { type RunRow, saveMapping } from '../../sync-state/runs.store.ts';
import { verifyHelium } from '../restore/notice/check-helium.ts';
import type { MappingInUse } from '../state/current-mapping.ts';
import type { DueCheck } from '../state/due-check.ts';

export interface MappingFollowerParts {
  readonly run: RunHost;
  readonly helium: HeliumGateway;
  readonly journey: JourneyGateway;
  readonly pool: Pool;
  /** The id of the integration's state. */
  readonly stateId: number;
  /** When Helium's catalog is read again. */
  readonly catalogCheck: DueCheck;
}

interface ReadMapping {
  readonly models: JourneyCatalog;
  readonly catalog: HeliumCatalog;
  readonly mapping: Mapping;
}

export class MappingFollower {
  readonly #parts: MappingFollowerParts;
  /** The mapping as it is stored. */
  #accepted: AcceptedMapping | null = null;
  /** The mapping to store once its full reads are planned. If that fails, it is built again. */
  #unsaved: AcceptedMapping | null = null;
  /** The models and the catalog that were read last, and the mapping built from them. */
  #lastRead: ReadMapping | null = null;
  #modelHash = '';

  constructor(parts: MappingFollowerParts) {
    this.#parts = parts;
  }

  /** Returns the mapping a run starts with, given the one that was accepted before. */
  async open(row: Pick<RunRow, 'mapping' | 'configVersion'>): Promise<MappingInUse> {
    const current = await this.#read();
    this.#accepted = row.mapping;
    return this.#accept(current, row.configVersion !== this.#parts.run.integration.configVersion);
  }

  /**
   * Stores the mapping. Called after its full reads are planned, so that a run killed before plans
   * them again.
   */
  async save(): Promise<void> {
    const { pool, stateId, run } = this.#parts;
    if (!this.#unsaved) return;
    await saveMapping(pool, stateId, run.fence, this.#unsaved, run.integration.configVersion);
    await removeOtherRounded(pool, stateId, findDecimalTables(this.#unsaved));
    this.#accepted = this.#unsaved;
  }

  /**
   * Returns the changed mapping, to be saved by the caller; null when both data models are
   * unchanged. A change that could not be saved is returned again.
   *
   * @param modelHash Journey's data model now. Default: the one that was read last
   */
  async follow(modelHash = this.#modelHash): Promise<MappingInUse | null> {
    const { catalogCheck } = this.#parts;
    const isSaved = this.#unsaved === this.#accepted;
    if (modelHash === this.#modelHash && isSaved && !catalogCheck.isDue) return null;
    return catalogCheck.run(async () => {
      const before = this.#lastRead;
      const current = await this.#read(modelHash);
      // A table may have been replaced by one that looks the same.
      if (this.#lastRead?.catalog !== before?.catalog) await verifyHelium(this.#parts);
      // The op-log was written in this model, even if the one just read is newer.
      this.#modelHash = modelHash;
      const isCurrent = isSaved && current.fingerprint === this.#accepted?.fingerprint;
      return isCurrent ? null : this.#accept(current, false);
    });
  }

  /** @param modelHash the current hash of Journey's data model, where it is known */
  async #read(modelHash?: string): Promise<Mapping> {
    const { run, helium, journey } = this.#parts;
    const lastRead = this.#lastRead;
    const models =
      lastRead && lastRead.models.hash === modelHash ? lastRead.models : await journey.readModels(run.signal);
    const catalog = await helium.readCatalog();
    this.#modelHash = models.hash;
    if (models === lastRead?.models && catalog === lastRead.catalog) return lastRead.mapping;
    const { config } = run.integration;
    const mapping = pairModels({
      catalog,
      models,
      skipTables: config.heliumToJourney.changeLogSkipTables,
      skipObjectTypes: config.journeyToHelium.oplogSkipObjectTypes,
      enableHeliumToJourney: config.enableHeliumToJourney,
      enableJourneyToHelium: config.enableJourneyToHelium,
    });
    this.#lastRead = { models, catalog, mapping };
    return mapping;
  }

  #accept(current: Mapping, isSaved: boolean): MappingInUse {
    const { run } = this.#parts;
    const warnings = listWarnings(current.notes);
    run.publish({ mappingWarnings: { ...warnings, first: [...warnings.first] } });
    const text = describeWarnings(warnings);
    if (text !== null) run.log('WARNING', `Not everything is synced. ${text}`);
    const before = this.#accepted;
    if (before === null) {
      run.publish({ pausedObjects: listPaused([]) });
      this.#unsaved = current;
      return { mapping: current, newTables: [], unknown: [] };
    }
    const { live, accepted, newTables, unknown, additive, breaking } = acceptMapping(before, current, isSaved);
    for (const { table, field, change } of additive)
      run.log('INFO', `The data model has changed: ${field ? `${table}.${field}` : table}: ${change}`);
    run.publish({ pausedObjects: listPaused(breaking) });
    for (const { table, field, change } of breaking)
      run.log(
        'SEVERE',
        `${table} is paused until its integration is saved: ${field ? `${table}.${field}: ` : ''}${change}`,
      );
    this.#unsaved = accepted;
    return { mapping: live, newTables, unknown };
  }
}
