import type { ClearingsQuestion } from '@portal/contract/sync/recovery';
import { formatCount } from '../../../format/numbers.ts';
import styles from './recovery.module.css';
import { getOtherSide, sideNames } from './recovery-texts.ts';

/** How many values of each field one side has lost, of those that both sides had. */
export function ClearedFields({ question: { columns, side } }: { question: ClearingsQuestion }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls with the keyboard
    <section className={styles.differences} aria-label="Values per field" tabIndex={0}>
      <table className="cells numbers" aria-label="Values per field">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Missing in {sideNames[getOtherSide(side)]}</th>
            <th scope="col">Both had</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ column, absent, known }) => (
            <tr key={column}>
              <th scope="row">{column}</th>
              <td>{formatCount(absent)}</td>
              <td>{formatCount(known)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
