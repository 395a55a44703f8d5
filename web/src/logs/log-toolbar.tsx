import { ActionIcon } from '@mantine/core';
import { IconTextWrap } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { TimestampMode } from '../lib/format.ts';
import { LevelFilter } from './level-filter.tsx';
import type { LogChoices } from './log-choices.ts';
import { LogDownloadButton } from './log-download-button.tsx';
import { timestampModes } from './log-format.ts';
import { LogSearchField } from './log-search-field.tsx';
import type { LogStream, StreamSnapshot } from './log-stream.ts';
import styles from './log-toolbar.module.css';

const timestampLabels: Readonly<Record<TimestampMode, string>> = {
  local: 'Local time',
  utc: 'UTC',
  none: 'No time',
};

/** The controls that determine which lines are shown, and how. */
export function LogToolbar(props: {
  stream: LogStream | null;
  snapshot: StreamSnapshot | null;
  /** The name of the log, for downloads. */
  name: string;
  choices: LogChoices;
  onChange: (change: Partial<LogChoices>) => void;
  /** Additional controls of the screen. */
  children?: ReactNode;
}) {
  const { stream, snapshot, choices, onChange } = props;
  return (
    <div className={styles.toolbar}>
      <LevelFilter
        levels={choices.levels}
        counts={snapshot?.entriesByLevel}
        onChange={(levels) => onChange({ levels })}
      />
      <LogSearchField
        choices={choices}
        snapshot={snapshot}
        onChange={onChange}
        onJump={(direction) => stream?.view.jump(direction)}
      />
      <div className={styles.viewControls}>
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
        <LogDownloadButton stream={stream} snapshot={snapshot} name={props.name} />
        {props.children}
      </div>
    </div>
  );
}
