import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft, IconChevronsRight } from '@tabler/icons-react';
import { formatCount } from '../../format/numbers.ts';
import { pageSizes } from './address.ts';
import styles from './data-table.module.css';
import type { TablePage } from './use-table-model.ts';
import type { TableState } from './use-table-state.ts';

/** The page navigation and the page size of a table. */
export function TablePages(props: { name: string; state: TableState; page: TablePage<unknown> }) {
  const { state } = props;
  const { page, pages, found } = props.page;
  if (found.length <= pageSizes[0] && state.size >= pageSizes[0]) return null;
  const steps = [
    { label: 'First page', Icon: IconChevronsLeft, to: 1, off: page === 1 },
    { label: 'Previous page', Icon: IconChevronLeft, to: page - 1, off: page === 1 },
    { label: 'Next page', Icon: IconChevronRight, to: page + 1, off: page === pages },
    { label: 'Last page', Icon: IconChevronsRight, to: pages, off: page === pages },
  ];
  const buttons = steps.map(({ label, Icon, to, off }) => (
    <ActionIcon
      key={label}
      variant="subtle"
      color="gray"
      size={28}
      aria-label={label}
      title={label}
      // Not `disabled`: the focus would be lost at the last page.
      aria-disabled={off}
      {...(off && { 'data-disabled': true })}
      onClick={() => !off && state.setPage(to)}
    >
      <Icon size={16} stroke={1.6} aria-hidden />
    </ActionIcon>
  ));
  return (
    <nav className={styles.pages} aria-label={`Pages of ${props.name}`}>
      <label className={styles.size}>
        Rows
        <select value={state.size} onChange={(event) => state.setSize(Number(event.currentTarget.value))}>
          {[...new Set([...pageSizes, state.size])]
            .toSorted((a, b) => a - b)
            .map((size) => (
              <option key={size}>{size}</option>
            ))}
        </select>
      </label>
      {buttons.slice(0, 2)}
      <span className={styles.pageNumber}>
        {formatCount(page)} / {formatCount(pages)}
      </span>
      {buttons.slice(2)}
    </nav>
  );
}
