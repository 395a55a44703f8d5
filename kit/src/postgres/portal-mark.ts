/**
 * A comment that identifies the statements of the portal and of its sync wherever statements are
 * listed.
 */
export const portalMark = '/* portal */';

/**
 * Is in the statements by which PostgreSQL itself checks foreign keys in the state of the sync.
 * They have no mark, because no one sends them.
 */
export const syncStateCheck = 'ONLY "__portal_sync__".';

/**
 * Appends a comment to a statement. Only there does every version keep it in its statistics:
 * version 18 drops a leading comment, and no version keeps one after a semicolon. The comment gets
 * its own line because the statement may end with a comment.
 */
export function withComment(statement: string, comment: string): string {
  return `${statement.replace(/;\s*$/, '')}\n${comment}`;
}
