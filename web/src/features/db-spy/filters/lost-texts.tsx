import type { StatRow } from '@portal/contract/db-spy';
import { IconInfoCircle } from '@tabler/icons-react';
import { formatCount } from '../../../format/numbers.ts';
import styles from '../db-spy.module.css';

/** States that the server has discarded texts of the listed statements, and what helps. */
export function LostTexts({ rows }: { rows: readonly StatRow[] | undefined }) {
  const count = rows?.filter(({ hasNoText }) => hasNoText).length ?? 0;
  if (count === 0) return null;
  return (
    <div className={styles.missing} role="note">
      <IconInfoCircle size={16} stroke={1.6} aria-hidden />
      <div>
        The server has discarded the {count === 1 ? 'text' : 'texts'} of {formatCount(count)} of these statements,
        because the file of all texts grew too large or could not be read. Their numbers are complete. A text is
        recorded again when its statement runs after a reset of the statistics. To keep the file small, lower{' '}
        <code>pg_stat_statements.max</code> in postgresql.conf and restart the server.
      </div>
    </div>
  );
}
