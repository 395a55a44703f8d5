/** Up to this many records are deleted without a question, unless nothing would remain. */
const maxUnasked = 20;

export interface AbsentRecords {
  /** The number of records of one object that both sides are known to have had. */
  readonly known: number;
  /** How many of them one side no longer has, without a log that names their deletion. */
  readonly absent: number;
  /** The share of the known records that may be deleted without a question. */
  readonly maxDeletedPercent: number;
  /** Whether the table was rewritten, as by TRUNCATE: then every deletion needs an answer. */
  readonly isRewritten?: boolean;
}

/**
 * Whether an operator has to decide about absent records: when all known records are absent, or
 * more than the share and more than 20, or any of a table that was rewritten.
 */
export function mustAskAboutDeletion({ known, absent, maxDeletedPercent, isRewritten }: AbsentRecords): boolean {
  if (absent === 0) return false;
  return isRewritten === true || absent >= known || (absent > maxUnasked && absent * 100 > known * maxDeletedPercent);
}
