import type { Conflict } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import type { SeenFile } from '../../record/waiting-file.ts';
import type { KnownRecord } from '../../sync-state/records.store.ts';

/** A record of which both sides were merged before Helium's row is sent. */
export interface MergedRecord {
  readonly key: RecordKey;
  readonly known: KnownRecord;
  readonly conflicts: readonly Conflict[];
  /** Files of Journey that lose: until they are kept, nothing is sent that overwrites them. */
  readonly lost?: ReadonlyMap<string, SeenFile>;
  /** Whether an operator has skipped them: they are overwritten at once, and still fetched. */
  readonly isSkipped?: boolean;
  /** When Journey's record was changed; of a record with lost files. */
  readonly changedAtMs?: number | null;
}
