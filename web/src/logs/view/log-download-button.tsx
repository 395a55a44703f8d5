import { ActionIcon, Popover } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { download } from '../../ui/download.ts';
import { showProblem } from '../../ui/popups.ts';
import { type DownloadFormat, toFileName } from '../text/log-download.ts';
import type { LogStream, StreamSnapshot } from './log-session.ts';
import styles from './log-toolbar.module.css';

const formats: readonly (readonly [DownloadFormat, string])[] = [
  ['text', 'text'],
  ['ndjson', 'NDJSON'],
];

interface DownloadProps {
  readonly stream: LogStream | null;
  readonly snapshot: StreamSnapshot | null;
  readonly name: string;
}

/** Opens the choice of downloads. */
export function LogDownloadButton(props: DownloadProps) {
  const { stream } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={32}
          aria-label="Download"
          title="Download"
          disabled={stream === null}
          onClick={() => setIsOpen(!isOpen)}
        >
          <IconDownload size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <LogDownloads {...props} onDone={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Downloads all lines or only the shown ones. */
export function LogDownloads({ stream, snapshot, name, onDone }: DownloadProps & { readonly onDone: () => void }) {
  const save = async (scope: 'all' | 'shown', format: DownloadFormat) => {
    onDone();
    try {
      const blob = await stream?.view.download(scope, format);
      if (blob) download(toFileName(name, format, Date.now()), blob);
    } catch (error) {
      showProblem('Download', error);
    }
  };
  return (
    <div className={styles.downloads}>
      {(['all', 'shown'] as const).map((scope) => (
        <fieldset key={scope}>
          <legend>
            {scope === 'all' ? 'All' : 'Shown'},{' '}
            {formatCount(snapshot?.[scope === 'all' ? 'records' : 'shownRecords'] ?? 0)}
          </legend>
          {formats.map(([format, label]) => (
            <button
              className="button"
              key={format}
              type="button"
              aria-label={`Download ${scope === 'all' ? 'all lines' : 'shown lines'} as ${label}`}
              onClick={() => void save(scope, format)}
            >
              {label}
            </button>
          ))}
        </fieldset>
      ))}
    </div>
  );
}
