import type { ObjectDifference } from '@portal/contract/sync/recovery';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import styles from './recovery.module.css';
import { getDifferingObjects, getTotals } from './recovery-texts.ts';

const allColumns = [
  ['onlyInHelium', 'Only in Helium'],
  ['onlyInJourney', 'Only in Journey'],
  ['differ', 'Differ'],
  ['comingBack', 'Coming back'],
] as const;

/** The result of the dry run: what exists on one side only, and what differs, per object. */
export function DifferenceTable({ objects }: { objects: readonly ObjectDifference[] }) {
  const differing = getDifferingObjects(objects);
  const equalCount = objects.length - differing.length;
  if (differing.length === 0)
    return <p>A dry run compared both sides: they have the same records with the same values.</p>;
  const totals = getTotals(differing);
  const columns = allColumns.filter(([name]) => name !== 'comingBack' || totals.comingBack > 0);
  return (
    <>
      <p>A dry run compared the records of both sides:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls with the keyboard */}
      <section className={styles.differences} aria-label="Differences per object" tabIndex={0}>
        <table className="cells numbers" aria-label="Differences per object">
          <thead>
            <tr>
              <th scope="col">Object</th>
              {columns.map(([name, header]) => (
                <th key={name} scope="col">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {differing.map((object) => (
              <tr key={object.table}>
                <th scope="row">
                  {object.table}
                  <Direction object={object} />
                </th>
                {columns.map(([name]) => (
                  <td key={name}>{formatDifference(object[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
          {differing.length > 1 && (
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                {columns.map(([name]) => (
                  <td key={name}>{formatDifference(totals[name])}</td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </section>
      <p className="note">
        {totals.comingBack > 0 && 'Coming back: deleted before the restore was found; “Keep both” brings them back. '}
        {equalCount > 0 && `${formatPlural(equalCount, 'other object')} ${equalCount === 1 ? 'is' : 'are'} equal.`}
      </p>
    </>
  );
}

function Direction({ object: { toHelium, toJourney } }: { object: ObjectDifference }) {
  if (toHelium === toJourney) return null;
  return <span className={styles.direction}>only to {toHelium ? 'Helium' : 'Journey'}</span>;
}

function formatDifference(count: number): string {
  return count === 0 ? '–' : formatCount(count);
}
