import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { parseWallClock, toWallClock } from '../../format/wall-clock.ts';
import styles from './support-roster.module.css';

interface MomentFieldProps {
  /** The chosen instant; null for now. */
  readonly at: Date | null;
  readonly timeZone: string;
  readonly onChange: (at: Date | null) => void;
}

/** A year is typed digit by digit. */
const firstYear = 2000;

/** The field for the moment at which someone is on call, in the environment's time zone. */
export function MomentField({ at, timeZone, onChange }: MomentFieldProps) {
  // What is typed is shown until the moment changes elsewhere, such as by a link.
  const [typed, setTyped] = useState<{ readonly text: string; readonly atMs: number | null } | null>(null);
  const atMs = at?.getTime() ?? null;
  const stored = at === null ? '' : toWallClock(at, timeZone, 'field');
  const text = typed?.atMs === atMs ? typed.text : stored;
  const change = (next: string) => {
    const moment = parseWallClock(next, timeZone, { format: 'field' });
    const isChosen = next === '' || (moment !== null && moment.getUTCFullYear() >= firstYear);
    setTyped({ text: next, atMs: isChosen ? (moment?.getTime() ?? null) : atMs });
    if (isChosen) onChange(moment);
  };
  return (
    <div className={styles.moment}>
      <TextInput
        label="On call at"
        type="datetime-local"
        min={`${firstYear}-01-01T00:00`}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {at !== null && (
        <Button variant="default" onClick={() => change('')}>
          Now
        </Button>
      )}
    </div>
  );
}
