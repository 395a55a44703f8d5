import { type ReactNode, useState } from 'react';
import { formatCount, formatPlural } from '../../../format/numbers.ts';

/** Shows the first items of a list, and the others on request. */
export function FirstItems<Item>(props: {
  items: readonly Item[];
  max: number;
  /** How many items there are, including those that were not loaded. */
  count: number;
  /** What an item is: 'team'. */
  noun: string;
  children: (items: readonly Item[]) => ReactNode;
}) {
  const { items, count, noun } = props;
  const [showsAll, setShowsAll] = useState(false);
  // A button for a single further item would take as much space as the item.
  const max = items.length === props.max + 1 ? items.length : props.max;
  return (
    <>
      {props.children(showsAll ? items : items.slice(0, max))}
      {items.length > max && (
        <button type="button" className="link-button" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer' : formatPlural(count - max, `more ${noun}`)}
        </button>
      )}
      {showsAll && count > items.length && (
        <p className="note">
          The first {formatCount(items.length)} of {formatCount(count)} are listed.
        </p>
      )}
    </>
  );
}
