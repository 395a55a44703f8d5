import { ActionIcon, Popover } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconClipboardCopy, IconTextWrap, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { TimestampMode } from '../../format/instants.ts';
import { copyText } from '../../ui/copy-text.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import type { LogField } from '../text/log-fields.ts';
import { timestampModes } from '../text/log-format.ts';
import { describeMasked, maskedKinds, maskForTicket } from '../text/ticket-mask.ts';
import { LevelFilter } from './level-filter.tsx';
import type { LogChoices } from './log-choices.ts';
import { LogDownloadButton, LogDownloads } from './log-download-button.tsx';
import { LogSearchField, LogSearchJumps, LogSearchSwitches } from './log-search-field.tsx';
import type { LogStream, StreamSnapshot } from './log-session.ts';
import styles from './log-toolbar.module.css';
import { useIsNarrow } from './use-is-narrow.ts';

interface ToolbarProps {
  readonly stream: LogStream | null;
  readonly snapshot: StreamSnapshot | null;
  /** The name of the log, for downloads. */
  readonly name: string;
  readonly choices: LogChoices;
  readonly onChange: (change: Partial<LogChoices>) => void;
  /** Buttons that narrow windows have before the search. */
  readonly narrowActions?: ReactNode;
  /** Additional controls of the screen. */
  readonly children?: ReactNode;
}

/**
 * The controls that determine which lines are shown, and how. Narrow windows have most in a menu.
 */
export function LogToolbar(props: ToolbarProps) {
  const { stream, snapshot, choices, onChange } = props;
  const isNarrow = useIsNarrow();
  const jump = (direction: 'next' | 'previous') => stream?.view.jump(direction);
  const search = { choices, snapshot, onChange, onJump: jump };
  const fieldFilter = choices.field && <FieldFilter field={choices.field} onRemove={() => onChange({ field: null })} />;
  if (isNarrow) {
    return (
      <div className={`${styles.toolbar} ${styles.narrow}`}>
        {props.narrowActions}
        <LogSearchField {...search}>
          <ToolMenu {...props} />
        </LogSearchField>
        {fieldFilter}
      </div>
    );
  }
  return (
    <div className={styles.toolbar}>
      <Levels {...props} />
      <LogSearchField {...search}>
        <LogSearchSwitches choices={choices} onChange={onChange} />
        <div className={styles.jumps}>
          <LogSearchJumps snapshot={snapshot} onJump={jump} />
        </div>
      </LogSearchField>
      {fieldFilter}
      <div className={styles.viewControls}>
        <ViewControls {...props} />
        <LogDownloadButton {...props} />
        {props.children}
      </div>
    </div>
  );
}

function ToolMenu(props: ToolbarProps) {
  const { stream, snapshot, choices, onChange } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" width="min(340px, 94vw)" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={32}
          aria-label="Log tools"
          title="Log tools"
          onClick={() => setIsOpen(!isOpen)}
        >
          <IconAdjustmentsHorizontal size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.menu}>
          <Levels {...props} />
          <div className={styles.viewControls}>
            <LogSearchSwitches choices={choices} onChange={onChange} />
            <LogSearchJumps snapshot={snapshot} onJump={(direction) => stream?.view.jump(direction)} />
          </div>
          <div className={styles.viewControls}>
            <ViewControls {...props} />
          </div>
          <LogDownloads {...props} onDone={() => setIsOpen(false)} />
          {props.children}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Levels({ choices, snapshot, onChange }: ToolbarProps) {
  return (
    <LevelFilter
      levels={choices.levels}
      counts={snapshot?.entriesByLevel}
      onChange={(levels) => onChange({ levels })}
    />
  );
}

const timestampLabels: Readonly<Record<TimestampMode, string>> = {
  local: 'Local time',
  utc: 'UTC',
  none: 'No time',
};

function ViewControls({ stream, choices, onChange }: ToolbarProps) {
  return (
    <>
      <ActionIcon
        variant="default"
        size={32}
        className={styles.switch}
        aria-pressed={choices.wrap}
        aria-label="Wrap lines"
        aria-keyshortcuts="w"
        title="Wrap lines (w)"
        onClick={() => onChange({ wrap: !choices.wrap })}
      >
        <IconTextWrap size={16} stroke={1.7} aria-hidden />
      </ActionIcon>
      <select
        className={styles.select}
        aria-label="Timestamps"
        value={choices.timestamps}
        onChange={({ currentTarget: { value } }) =>
          onChange({ timestamps: timestampModes.find((mode) => mode === value) ?? 'local' })
        }
      >
        {timestampModes.map((mode) => (
          <option key={mode} value={mode}>
            {timestampLabels[mode]}
          </option>
        ))}
      </select>
      <ActionIcon
        variant="default"
        size={32}
        aria-label="Copy for a ticket"
        title={`Copy for a ticket: the selected lines, or the visible ones. ${maskedKinds}`}
        disabled={stream === null}
        onClick={() => stream && void copyForTicket(stream)}
      >
        <IconClipboardCopy size={16} stroke={1.7} aria-hidden />
      </ActionIcon>
    </>
  );
}

async function copyForTicket(stream: LogStream): Promise<void> {
  const { text, counts } = maskForTicket(stream.view.getSelectedText());
  if (await copyText(text)) showSuccess('Copied for a ticket', describeMasked(counts));
  else showProblem('Copy for a ticket', new Error('The browser does not allow to copy. Download the lines instead.'));
}

function FieldFilter({ field, onRemove }: { field: LogField; onRemove: () => void }) {
  return (
    <button type="button" className={styles.fieldFilter} title="Show lines with any value" onClick={onRemove}>
      <span className={styles.fieldFilterText}>
        {field.name} = {field.value}
      </span>
      <IconX size={14} stroke={1.7} aria-hidden />
      <span className="visually-hidden">Remove the filter</span>
    </button>
  );
}
