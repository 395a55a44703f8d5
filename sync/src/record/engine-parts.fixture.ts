/** What the parts of the in-memory engine share. */
import { PendingEchoes } from '../engine/state/echoes.ts';
import type { EngineFiles, MergeContext } from './engine-files.fixture.ts';
import { EngineRecords } from './engine-records.fixture.ts';
import type { Fields } from './fields.ts';
import type { HeliumStore } from './helium-store.fixture.ts';
import type { JourneyStore } from './journey-store.fixture.ts';

export class EngineParts {
  readonly context: MergeContext;
  readonly helium: HeliumStore;
  readonly store: JourneyStore;
  readonly files: EngineFiles;
  readonly records = new EngineRecords();
  nowMs = 1_000_000;
  readonly echoes = new PendingEchoes({ acknowledged: 0, answeredAtMs: this.nowMs, mustReadFirst: false });
  /** The number of engine writes in both directions. */
  writes = 0;
  /** Whether a constraint of Helium rejects a row, or its deletion. */
  rejects: (fields: Fields | null) => boolean = () => false;

  constructor(stores: Pick<EngineParts, 'context' | 'helium' | 'store' | 'files'>) {
    this.context = stores.context;
    this.helium = stores.helium;
    this.store = stores.store;
    this.files = stores.files;
  }
}
