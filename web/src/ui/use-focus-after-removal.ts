import { useEffect, useRef } from 'react';
import { whenPageIsFree } from './dialog-layers.ts';

/** A button in a row of a table. */
interface Opener {
  readonly button: Element;
  readonly table: HTMLTableElement;
  readonly rowIndex: number;
  readonly buttonIndex: number;
}

/**
 * Moves the focus when a dialog closes that has removed the row with the button that opened it: to
 * the same button of the next row, or to the table if there is none.
 */
export function useFocusAfterRemoval(opened: boolean): void {
  const opener = useRef<Opener | null>(null);
  useEffect(() => {
    if (opened) opener.current = findOpener(document.activeElement);
    else if (opener.current && isRemoved(opener.current.button)) focusNext(opener.current);
  }, [opened]);
}

const buttons = 'button, a[href]';

function findOpener(button: Element | null): Opener | null {
  const row = button?.closest('tbody tr');
  const table = row?.closest('table');
  if (!button || !table || !(row instanceof HTMLTableRowElement)) return null;
  return {
    button,
    table,
    rowIndex: row.sectionRowIndex,
    buttonIndex: [...row.querySelectorAll(buttons)].indexOf(button),
  };
}

/** A row that was removed can keep its place in the table for a while. */
function isRemoved(button: Element): boolean {
  return !button.isConnected || button.closest('tr[inert]') !== null;
}

function focusNext({ table, rowIndex, buttonIndex }: Opener): void {
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  const isThere = (row: HTMLTableRowElement) => !row.inert;
  const next = (rows.slice(rowIndex).find(isThere) ?? rows.findLast(isThere))?.querySelectorAll<HTMLElement>(buttons)[
    buttonIndex
  ];
  if (!next) table.tabIndex = -1;
  whenPageIsFree(() => (next ?? table).focus());
}
