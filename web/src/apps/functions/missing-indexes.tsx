import type { LastFunctionResults } from '@portal/contract/scheduled-functions';
import { SqlView } from '../../ui/sql-view.tsx';

/**
 * Offers the SQL that makes reading the results of functions quick; nothing while none is needed.
 */
export function MissingIndexes({ last }: { last: LastFunctionResults | undefined }) {
  if (!last || last.indexStatements.length === 0) return null;
  return (
    <section className="stack-s" aria-label="Missing indexes">
      <p className="note">
        {last.results === null && 'The last result of each function could not be read in time. '}
        The app has many function results and no index to find the latest, so they are not refreshed automatically. Run
        this SQL in the app's database, one statement at a time. The app keeps running.
      </p>
      <SqlView sql={last.indexStatements.join('\n')} label="SQL of the missing indexes" />
    </section>
  );
}
