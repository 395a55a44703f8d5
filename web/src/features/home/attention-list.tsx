import type { Attention } from '@portal/contract/attention';
import { useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { AttentionItem, describeSeveral, KindChip } from './attention-item.tsx';

/** In a longer list, each kind with more than `maxOfKind` items is one line that opens. */
const maxListed = 8;
const maxOfKind = 2;

/** Lists what needs attention. */
export function AttentionList({ items }: { items: readonly Attention[] }) {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return (
    <ul className="entries">
      {kinds.map((kind) => (
        <Kind
          key={kind}
          kind={kind}
          items={items.filter((item) => item.kind === kind)}
          isLong={items.length > maxListed}
        />
      ))}
    </ul>
  );
}

interface KindProps {
  readonly kind: Attention['kind'];
  readonly items: readonly Attention[];
  /** Whether the list of all kinds is long. */
  readonly isLong: boolean;
}

function Kind({ kind, items, isLong }: KindProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isGrouped = isLong && items.length > maxOfKind;
  return (
    <>
      {isGrouped && (
        <li>
          <KindChip kind={kind} />
          <span className="text">
            <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {formatCount(items.length)} {describeSeveral(kind)}
            </button>
          </span>
        </li>
      )}
      {(!isGrouped || isOpen) &&
        items.map((item) => <AttentionItem key={`${item.route} ${item.title} ${item.at}`} item={item} />)}
    </>
  );
}
