import { Button, Checkbox, FileButton, Modal, Textarea } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { type FormEvent, useMemo, useState } from 'react';
import { countOf } from '../../lib/format/duration.ts';
import { showProblem } from '../../ui/popups.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { type CsvShift, readShiftsCsv } from './read-shifts-csv.ts';
import styles from './support-roster.module.css';

/** As much as the server takes. */
const mostChars = 900_000;
const mostFaults = 50;
const mostShown = 5;

interface ImportModalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly timeZone: string;
  readonly pending: boolean;
  /** Why the server refused the last try. */
  readonly problem: unknown;
  readonly onImport: (what: { csv: string; replace: boolean }) => void;
}

/** Takes shifts as CSV, shows what they would become and what is wrong with them, and then imports all or none. */
export function ImportModal(props: ImportModalProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title="Import shifts from CSV"
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      <ImportForm {...props} />
    </Modal>
  );
}

function ImportForm({ onClose, timeZone, pending, problem, onImport }: ImportModalProps) {
  const [csv, setCsv] = useState('');
  const [replace, setReplace] = useState(false);
  const isTooLong = csv.length > mostChars;
  const reading = useMemo(
    () => (csv.trim() === '' || isTooLong ? null : readShiftsCsv(csv, timeZone)),
    [csv, isTooLong, timeZone],
  );
  const readFile = (file: File) =>
    void file.text().then(setCsv, (problem: unknown) => showProblem('The file cannot be read', problem));
  const mayImport = reading !== null && reading.faults.length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (mayImport && !pending) onImport({ csv, replace });
  };
  return (
    <form onSubmit={submit} className="stack">
      <p className="note">
        A line of headers (name, number, start, end), then a line a shift. Times as “2026-11-23 08:00” by the clock of{' '}
        {timeZone}, or as ISO with their zone.
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
        error={isTooLong && 'This is longer than an import may be. Import it in parts.'}
        data-autofocus
      />
      <div role="status" className="stack">
        {reading && reading.faults.length > 0 && (
          <>
            <p>Nothing can be imported before this is put right:</p>
            <ul className={styles.faults}>
              {reading.faults.slice(0, mostFaults).map(({ line, text }) => (
                <li key={line}>
                  Line {line}: {text}
                </li>
              ))}
              {reading.faults.length > mostFaults && (
                <li>and {countOf(reading.faults.length - mostFaults, 'line')} more</li>
              )}
            </ul>
          </>
        )}
        {mayImport && <Preview shifts={reading.shifts} timeZone={timeZone} />}
      </div>
      {problem !== null && <ProblemNote problem={problem} />}
      <Checkbox
        label="Replace the shifts this team has"
        checked={replace}
        onChange={(event) => setReplace(event.currentTarget.checked)}
      />
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" disabled={!mayImport} loading={pending}>
          {mayImport ? `Import ${countOf(reading.shifts.length, 'shift')}` : 'Import'}
        </Button>
      </div>
    </form>
  );
}

function Preview({ shifts, timeZone }: { shifts: readonly CsvShift[]; timeZone: string }) {
  const rest = shifts.length - mostShown;
  return (
    <div className={styles.preview}>
      <table>
        <caption>
          {countOf(shifts.length, 'shift')}
          {rest > 0 && `, the first ${mostShown} of them`}
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
          {shifts.slice(0, mostShown).map((shift) => (
            <tr key={`${shift.name} ${shift.start} ${shift.end}`}>
              <td>{shift.name}</td>
              <td>{shift.number || '–'}</td>
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
