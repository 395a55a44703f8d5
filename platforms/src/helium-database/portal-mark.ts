/** A comment that identifies the portal's own statements wherever statements are listed. */
export const portalMark = '/* portal */';

/**
 * Appends the mark to a statement. Only there does every version keep it in its statistics: version
 * 18 drops a leading comment, and no version keeps one after a semicolon. The mark gets its own
 * line because the statement may end with a comment.
 */
export function withPortalMark(statement: string): string {
  return `${statement.replace(/;\s*$/, '')}\n${portalMark}`;
}
