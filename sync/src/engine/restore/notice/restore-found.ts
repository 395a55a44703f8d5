import type { Side } from '@portal/contract/sync/recovery';

/**
 * One side went back to an earlier state while the engine's own state did not. The run ends; both
 * sides are compared without changing anything, and an operator decides (`../ask.ts`).
 */
export class RestoreFound extends Error {
  override readonly name = 'RestoreFound';
  readonly side: Side;
  /** The time of the newest data of that side; null if unknown. */
  readonly asOf: Date | null;
  /** The tables concerned; null for all. */
  readonly tables: readonly string[] | null;

  /** @param reason what was found and how it is known, in sentences for operators */
  constructor(
    reason: string,
    {
      side,
      asOf,
      tables,
    }: { readonly side: Side; readonly asOf: Date | null; readonly tables: readonly string[] | null },
  ) {
    super(reason);
    this.side = side;
    this.asOf = asOf;
    this.tables = tables;
  }
}
