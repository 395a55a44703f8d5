/**
 * Up to this many records are deleted, or values of a field cleared, without a question, unless
 * nothing would remain.
 */
const maxUnasked = 20;

export interface AbsentRecords {
  /** How many records of one object, or values of one field, both sides are known to have had. */
  readonly known: number;
  /** How many of them one side no longer has, without a log that names their deletion. */
  readonly absent: number;
  /** The share of what is known that may be deleted or cleared without a question. */
  readonly maxDeletedPercent: number;
  /** Whether every deletion needs an answer, as after TRUNCATE. */
  readonly isAboutAny?: boolean;
}

/**
 * Whether an operator has to decide about absent records or values: when all known are absent, or
 * more than the share and more than 20, or any where every deletion needs an answer.
 */
export function mustAskAboutDeletion({ known, absent, maxDeletedPercent, isAboutAny }: AbsentRecords): boolean {
  if (absent === 0) return false;
  return isAboutAny === true || absent >= known || (absent > maxUnasked && absent * 100 > known * maxDeletedPercent);
}
