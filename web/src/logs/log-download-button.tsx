import { ActionIcon, Popover } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount } from '../lib/format.ts';
import { download } from '../ui/download.ts';
import { showProblem } from '../ui/popups.ts';
import { type DownloadFormat, fileNameOf } from './log-download.ts';
import type { LogStream, StreamSnapshot } from './log-stream.ts';
import styles from './log-toolbar.module.css';

const formats: readonly (readonly [DownloadFormat, string])[] = [
  ['text', 'text'],
  ['ndjson', 'NDJSON'],
];

/** All lines or the shown ones as a file. */
export function LogDownloadButton(props: { stream: LogStream | null; snapshot: StreamSnapshot | null; name: string }) {
  const { stream, snapshot } = props;
  const [isOpen, setIsOpen] = useState(false);
  const save = async (what: 'all' | 'shown', format: DownloadFormat) => {
    setIsOpen(false);
    try {
      const blob = await stream?.view.download(what, format);
      if (blob) download(fileNameOf(props.name, format, Date.now()), blob);
    } catch (error) {
      showProblem('Download', error);
    }
  };
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
        <div className={styles.downloads}>
          {(['all', 'shown'] as const).map((what) => (
            <fieldset key={what}>
              <legend>
                {what === 'all' ? 'All' : 'Shown'},{' '}
                {formatCount(snapshot?.[what === 'all' ? 'records' : 'shownRecords'] ?? 0)}
              </legend>
              {formats.map(([format, word]) => (
                <button
                  className="button"
                  key={format}
                  type="button"
                  aria-label={`Download ${what === 'all' ? 'all' : 'what is shown'} as ${word}`}
                  onClick={() => void save(what, format)}
                >
                  {word}
                </button>
              ))}
            </fieldset>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
