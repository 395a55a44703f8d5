/** What is shown as the text of a log row or record without one, the same in both. */
export const nullText = '(null)';
