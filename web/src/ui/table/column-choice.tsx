import { ActionIcon } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { type FocusEvent, type ToggleEvent, useId, useState } from 'react';
import { CheckBox } from '../check-box.tsx';
import styles from './column-choice.module.css';
import type { DataColumn } from './data-table.types.ts';
import { closePopover, placeBesideButton } from './popover.ts';
import type { TableState } from './use-table-state.ts';

interface ColumnChoiceProps<Row> {
  /** Of the table. */
  readonly name: string;
  readonly state: TableState;
  readonly columns: readonly DataColumn<Row>[];
  readonly shown: readonly DataColumn<Row>[];
}

/** A button that opens a list of the columns, in which the user chooses which are shown. */
export function ColumnChoice<Row>(props: ColumnChoiceProps<Row>) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const prepare = ({ currentTarget, newState }: ToggleEvent<HTMLElement>) => {
    if (newState !== 'open') return;
    setIsOpen(true);
    placeBesideButton(currentTarget);
  };
  const follow = ({ currentTarget, newState }: ToggleEvent<HTMLElement>) => {
    if (newState === 'open') currentTarget.querySelector<HTMLElement>('input:enabled')?.focus();
    // Not before: the browser gives the focus back only from an element that is still there.
    else setIsOpen(false);
  };
  return (
    <>
      <ActionIcon
        variant="default"
        size={32}
        popoverTarget={id}
        aria-label={`Columns of ${props.name}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title="Columns"
      >
        <IconColumns3 size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={`Columns of ${props.name}`}
        className={styles.list}
        onBeforeToggle={prepare}
        onToggle={follow}
        onBlur={closeBehindFocus}
      >
        {isOpen && <Choice {...props} />}
      </div>
    </>
  );
}

function Choice<Row>({ state, columns, shown }: ColumnChoiceProps<Row>) {
  return (
    <fieldset className={styles.choice}>
      <legend>Columns</legend>
      {columns.map((column) => (
        <CheckBox
          key={column.id}
          label={column.header}
          checked={shown.includes(column)}
          disabled={shown.includes(column) && shown.length === 1}
          onChange={(isShown) => state.showColumn(column.id, isShown)}
        />
      ))}
      <button type="button" className="plain-link" onClick={state.resetColumns}>
        Reset to default
      </button>
    </fieldset>
  );
}

/** Tab leaves the list at its end, and the list does not stay over what comes next. */
function closeBehindFocus({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void {
  if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) closePopover(currentTarget);
}
