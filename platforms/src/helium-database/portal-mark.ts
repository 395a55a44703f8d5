/** By which the portal's own statements are told from others wherever statements are listed. */
export const mark = '/* portal */';

/**
 * The statement with the mark at its end, the one place every version keeps it in its statistics:
 * 18 drops a comment in front, and none keeps one behind a semicolon. On a line of its own, because
 * the text may end in a comment.
 */
export function marked(statement: string): string {
  return `${statement.replace(/;\s*$/, '')}\n${mark}`;
}
