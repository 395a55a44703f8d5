/**
 * Makes the mapping an integration works with, and makes it again when one of the two data models
 * changes.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import type { HeliumGateway } from '../../helium/helium-gateway.ts';
import type { RunHost } from '../../integration/run-host.ts';
import type { JourneyGateway } from '../../journey/journey-gateway.ts';
import { type AcceptedMapping, acceptMapping } from '../../mapping/accept-mapping.ts';
import type { HeliumCatalog } from '../../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../../mapping/journey-catalog.ts';
import type { Mapping } from '../../mapping/object-map.ts';
import { pairModels } from '../../mapping/pair-models.ts';
import { type RunRow, saveMapping } from '../../sync-state/runs.store.ts';
import type { MappingInUse } from '../shared/current-mapping.ts';

export interface MappingFollowerParts {
  readonly run: RunHost;
  readonly helium: HeliumGateway;
  readonly journey: JourneyGateway;
  readonly pool: Pool;
  /** The integration's number in the state. */
  readonly stateId: number;
  /** How often Helium's catalog is read. */
  readonly lookEveryMs: number;
}

interface Seen {
  readonly models: JourneyCatalog;
  readonly catalog: HeliumCatalog;
  readonly mapping: Mapping;
}

export class MappingFollower {
  readonly #parts: MappingFollowerParts;
  /** As it is stored. */
  #accepted: AcceptedMapping | null = null;
  /** To be stored once what it brings along is planned; when that fails, it is made again. */
  #next: AcceptedMapping | null = null;
  /** What was seen last, and what it comes to. */
  #seen: Seen | null = null;
  #modelHash = '';
  #lookedAtMs = 0;

  constructor(parts: MappingFollowerParts) {
    this.#parts = parts;
  }

  /** At the beginning of a run, from what was accepted before it. */
  async open(row: Pick<RunRow, 'mapping' | 'configVersion'>): Promise<MappingInUse> {
    const now = await this.#read();
    this.#accepted = row.mapping;
    return this.#accept(now, row.configVersion !== this.#parts.run.integration.configVersion);
  }

  /** After what it brings along was planned: a run that is killed before that plans it again. */
  async save(): Promise<void> {
    const { pool, stateId, run } = this.#parts;
    if (!this.#next) return;
    await saveMapping(pool, stateId, run.fence, this.#next, run.integration.configVersion);
    this.#accepted = this.#next;
  }

  /** While it runs, to be saved as well; null when both data models are what they were. */
  async follow(modelHash: string): Promise<MappingInUse | null> {
    const isDue = Date.now() - this.#lookedAtMs >= this.#parts.lookEveryMs;
    if (modelHash === this.#modelHash && !isDue) return null;
    const now = await this.#read(modelHash);
    // Whatever the data model that was read says: this is the one the op-log was written in.
    this.#modelHash = modelHash;
    return now.fingerprint === this.#accepted?.fingerprint ? null : this.#accept(now, false);
  }

  /** @param modelHash of Journey's data model as it is now, where that is known */
  async #read(modelHash?: string): Promise<Mapping> {
    const { run, helium, journey } = this.#parts;
    const seen = this.#seen;
    const models = seen && seen.models.hash === modelHash ? seen.models : await journey.readModels(run.signal);
    const catalog = await helium.readCatalog();
    this.#modelHash = models.hash;
    this.#lookedAtMs = Date.now();
    if (models === seen?.models && catalog === seen.catalog) return seen.mapping;
    const { config } = run.integration;
    const mapping = pairModels({
      catalog,
      models,
      skipTables: config.heliumToJourney.changeLogSkipTables,
      skipObjectTypes: config.journeyToHelium.oplogSkipObjectTypes,
      enableHeliumToJourney: config.enableHeliumToJourney,
      enableJourneyToHelium: config.enableJourneyToHelium,
    });
    this.#seen = { models, catalog, mapping };
    return mapping;
  }

  #accept(now: Mapping, isSaved: boolean): MappingInUse {
    const { run } = this.#parts;
    const before = this.#accepted;
    if (before === null) {
      this.#next = now;
      return { mapping: now, fresh: [] };
    }
    const { live, accepted, fresh, additive, breaking } = acceptMapping(before, now, isSaved);
    for (const { table, field, change } of additive)
      run.log('INFO', `The data model has changed: ${field ? `${table}.${field}` : table}: ${change}`);
    for (const { table, field, change } of breaking)
      run.log(
        'SEVERE',
        `${table} stands still until its integration is saved: ${field ? `${table}.${field}: ` : ''}${change}`,
      );
    this.#next = accepted;
    return { mapping: live, fresh };
  }
}
