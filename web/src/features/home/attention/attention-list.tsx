import type { Attention, getAttention } from '@portal/contract/attention';
import type { ResponseOf } from '@portal/contract/endpoint';
import { useState } from 'react';
import { formatCount } from '../../../format/numbers.ts';
import styles from './attention.module.css';
import { AttentionItem, describeSeveral, getListRoute, KindChip } from './attention-item.tsx';

/** In a longer list, each kind with more than `maxOfKind` items is one line that opens. */
const maxListed = 8;
const maxOfKind = 2;

type Counts = ResponseOf<typeof getAttention>['counts'];

/** Lists what needs attention. `counts` includes items that are not listed. */
export function AttentionList({ items, counts }: { items: readonly Attention[]; counts: Counts }) {
  const kinds = [...new Set(items.map(({ kind }) => kind))].map((kind) => {
    const ofKind = items.filter((item) => item.kind === kind);
    return { kind, items: ofKind, count: counts[kind] ?? ofKind.length };
  });
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  return (
    <ul className={styles.list}>
      {kinds.map((each) => (
        <Kind key={each.kind} {...each} isLong={total > maxListed} />
      ))}
    </ul>
  );
}

interface KindProps {
  readonly kind: Attention['kind'];
  readonly items: readonly Attention[];
  readonly count: number;
  /** Whether the list of all kinds is long. */
  readonly isLong: boolean;
}

function Kind({ kind, items, count, isLong }: KindProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isGrouped = isLong && count > maxOfKind;
  const listRoute = getListRoute(kind);
  return (
    <>
      {isGrouped && (
        <li>
          <KindChip kind={kind} />
          <span>
            <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {formatCount(count)} {describeSeveral(kind)}
            </button>
          </span>
        </li>
      )}
      {(!isGrouped || isOpen) &&
        items.map((item) => <AttentionItem key={`${item.route} ${item.detail} ${item.at}`} item={item} />)}
      {isGrouped && isOpen && count > items.length && (
        <li>
          <span className={`note ${styles.rest}`}>
            The first {formatCount(items.length)} are listed.{' '}
            {listRoute !== null && (
              <a className="text-link" href={`#${listRoute}`}>
                Show all {formatCount(count)}
              </a>
            )}
          </span>
        </li>
      )}
    </>
  );
}
