/** What a play consists of. */
import type { SyncDirection } from '@portal/contract/sync/records';
import type { Side } from '@portal/contract/sync/recovery';
import type { ConflictPolicy } from '../../../record/merge.ts';

export type Mode = 'both' | 'to Journey' | 'to Helium';
export type Table = 'region' | 'farmer';
/** Whether the numbers after a restore are behind those before, have reached or overtaken them. */
export type Numbers = 'behind' | 'equal' | 'past';

export type Action =
  /** @param logged whether Helium's row and transaction log name the time, as Helium does */
  | { readonly do: 'insert'; readonly side: Side; readonly table: Table; readonly logged: boolean }
  | {
      readonly do: 'edit';
      readonly side: Side;
      readonly table: Table;
      readonly nth: number;
      readonly column: 'name' | 'code' | 'one-sided';
      readonly logged: boolean;
    }
  /** The same record on both sides, with different names. Only before the first start. */
  | { readonly do: 'insert on both sides' }
  | { readonly do: 'refer'; readonly side: Side; readonly nth: number; readonly to: number }
  | { readonly do: 'delete'; readonly side: Side; readonly table: Table; readonly nth: number }
  | { readonly do: 'create again'; readonly side: Side; readonly nth: number }
  | { readonly do: 'rest' }
  | { readonly do: 'stop' }
  /**
   * While Journey has not answered the write of a new region and of an edited one.
   *
   * @param isReceived whether Journey carries out the write
   */
  | { readonly do: 'stop during a call'; readonly nth: number; readonly isReceived: boolean }
  | { readonly do: 'run'; readonly mode: Mode }
  | { readonly do: 'copy'; readonly side: Side }
  /**
   * @param how `rows`: in one transaction, with the edits after it; `schema`: dropped and created
   *   again
   */
  | {
      readonly do: 'restore Helium';
      readonly numbers: Numbers;
      readonly how: 'rows' | 'schema' | 'schema, noticed' | 'database';
    }
  | { readonly do: 'restore Journey'; readonly numbers: Numbers }
  | { readonly do: 'empty list'; readonly during: 'comparison' | 'version 0' }
  | { readonly do: 'move'; readonly direction: SyncDirection; readonly to: 'zero' | 'half' }
  | { readonly do: 'compare' }
  | { readonly do: 'expire'; readonly keep: number }
  | { readonly do: 'clear log' }
  | { readonly do: 'lose state' };

export interface Setup {
  readonly policy: ConflictPolicy;
  readonly mode: Mode;
  /** `given`: from the ends of the logs when the integration starts; `half`: only the op-log's. */
  readonly from: 'zero' | 'given' | 'half';
}

export interface Play {
  readonly setup: Setup;
  readonly actions: readonly Action[];
}
