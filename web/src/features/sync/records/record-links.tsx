import { Fragment } from 'react';
import { useAddress } from '../../../state/use-address.ts';
import styles from './record-links.module.css';

/** Identifies a record: its table and its id. */
export interface RecordName {
  readonly table: string;
  readonly id: string;
}

/** Returns a function that finds a record in the records dialog. */
export function useFindRecord(): (record: RecordName) => void {
  const [, changeAddress] = useAddress();
  return ({ table, id }) => changeAddress((address) => ({ ...address, tab: 'find', find: id, in: table }));
}

/** Records, each `{table}/{id}`, as links that find them. */
export function RecordLinks({ names, onFind }: { names: readonly string[]; onFind: (record: RecordName) => void }) {
  return names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      <RecordLink name={name} onFind={onFind} />
    </Fragment>
  ));
}

function RecordLink({ name, onFind }: { name: string; onFind: (record: RecordName) => void }) {
  const [table = '', id = ''] = name.split('/');
  return (
    <button
      type="button"
      className={`link-button ${styles.record}`}
      title="Find this record"
      onClick={() => onFind({ table, id })}
    >
      {name}
    </button>
  );
}

/**
 * Shows why a record waits. The records it waits for, each `{table}/{id}`, are links, also those
 * that the reason does not name.
 */
export function LinkedReason(props: {
  reason: string;
  missing: readonly string[];
  onFind: (record: RecordName) => void;
}) {
  const { reason, missing, onFind } = props;
  const unnamed = missing.filter((name) => !reason.includes(name));
  return (
    <>
      {splitAtNames(reason, missing).map(({ at, text, isName }) =>
        isName ? <RecordLink key={at} name={text} onFind={onFind} /> : text,
      )}
      {unnamed.length > 0 && (
        <span className="note">
          {' '}
          Waits for <RecordLinks names={unnamed} onFind={onFind} />.
        </span>
      )}
    </>
  );
}

interface TextPart {
  readonly at: number;
  readonly text: string;
  readonly isName: boolean;
}

function splitAtNames(text: string, names: readonly string[]): TextPart[] {
  const parts: TextPart[] = [];
  for (let at = 0; at < text.length; ) {
    const [next] = names
      .map((name) => ({ name, at: text.indexOf(name, at) }))
      .filter((found) => found.at >= 0)
      .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length);
    const end = next?.at ?? text.length;
    if (end > at) parts.push({ at, text: text.slice(at, end), isName: false });
    if (next) parts.push({ at: next.at, text: next.name, isName: true });
    at = next ? next.at + next.name.length : text.length;
  }
  return parts;
}
