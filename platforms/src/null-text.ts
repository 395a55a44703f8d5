/** Shown in place of the missing text of a log row or a streamed record. */
export const nullText = '(null)';
