import { Button, FileButton, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ImportPreview } from '@portal/contract/support-roster';
import { useState } from 'react';
import { formatPlural } from '../../format/numbers.ts';
import { CheckBox } from '../../ui/check-box.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { showProblem } from '../../ui/popups.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { decodeCsv } from './decode-csv.ts';
import styles from './support-roster.module.css';
import { useImportPreview } from './use-shift-changes.ts';

/** The maximum length the server accepts. */
const maxChars = 900_000;
/** The text is checked after this pause in typing. */
const debounceMs = 300;

interface ImportModalProps {
  readonly team: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly timeZone: string;
  readonly pending: boolean;
  /** Why the server refused the last import. */
  readonly problem: unknown;
  readonly onImport: (request: { csv: string; replace: boolean }) => void;
}

/** Imports shifts from CSV: previews them with their errors, and then imports all or none. */
export function ImportModal(props: ImportModalProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="Import shifts from CSV" size="lg" centered>
      <ImportForm {...props} />
    </Dialog>
  );
}

function ImportForm({ team, onClose, timeZone, pending, problem, onImport }: ImportModalProps) {
  const [csv, setCsv] = useState('');
  const [isGuess, setIsGuess] = useState(false);
  const [replace, setReplace] = useState(false);
  const isTooLong = csv.length > maxChars;
  const [checked] = useDebouncedValue(csv, debounceMs);
  const checking = useImportPreview(team, isTooLong ? '' : checked);
  const preview = checked === csv && !isTooLong ? checking.data : undefined;
  const showFile = (bytes: ArrayBuffer) => {
    const decoded = decodeCsv(new Uint8Array(bytes));
    setCsv(decoded.text);
    setIsGuess(decoded.isGuess);
  };
  const readFile = (file: File) =>
    void file.arrayBuffer().then(showFile, (problem: unknown) => showProblem('The file cannot be read', problem));
  const canImport = preview?.faults.length === 0;
  return (
    <DialogForm
      onSubmit={() => onImport({ csv, replace })}
      onClose={onClose}
      submitLabel={canImport ? `Import ${formatPlural(preview.shiftCount, 'shift')}` : 'Import'}
      canSubmit={canImport}
      pending={pending}
    >
      <p className="note">
        A header line (name, number, start, end), then one line per shift. Write times like “2026-11-23 08:00” in the
        time zone {timeZone}, or in ISO format with a zone.
      </p>
      <div>
        <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => file && readFile(file)}>
          {(button) => (
            <Button variant="default" {...button}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </div>
      <Textarea
        label="CSV"
        description="Or paste it here"
        value={csv}
        onChange={(event) => setCsv(event.currentTarget.value)}
        rows={6}
        classNames={{ input: 'mono' }}
        spellCheck={false}
        error={isTooLong && 'This text is too long for one import. Split it into parts.'}
        data-autofocus
      />
      <div role="status" className="stack">
        {isGuess && <p>The file is not UTF-8. It was read as Windows-1252: check names with accents.</p>}
        {preview && preview.faults.length > 0 && (
          <>
            <p>Fix these lines before you import:</p>
            <ul className={styles.errors}>
              {preview.faults.map(({ line, text }) => (
                <li key={line}>
                  Line {line}: {text}
                </li>
              ))}
              {preview.hasMoreFaults && <li>and more lines</li>}
            </ul>
          </>
        )}
        {canImport && <Preview preview={preview} timeZone={timeZone} />}
      </div>
      {checking.isError && <ProblemNote problem={checking.error} onRetry={() => void checking.refetch()} />}
      {problem !== null && <ProblemNote problem={problem} />}
      <CheckBox label="Replace the team’s existing shifts" checked={replace} onChange={setReplace} />
    </DialogForm>
  );
}

function Preview({ preview, timeZone }: { preview: ImportPreview; timeZone: string }) {
  const { shiftCount, shifts } = preview;
  return (
    <div className={styles.preview}>
      <table>
        <caption>
          {formatPlural(shiftCount, 'shift')}
          {shiftCount > shifts.length && `, the first ${shifts.length} of them`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Number</th>
            <th scope="col">From</th>
            <th scope="col">Until</th>
          </tr>
        </thead>
        <tbody>
          {shifts.map((shift) => (
            <tr key={`${shift.name} ${shift.start} ${shift.end}`}>
              <td>{shift.name}</td>
              <td>{shift.number ?? '–'}</td>
              <td>
                <ZoneTime at={shift.start} timeZone={timeZone} />
              </td>
              <td>
                <ZoneTime at={shift.end} timeZone={timeZone} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
