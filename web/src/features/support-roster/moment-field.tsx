import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { parseWallClock, toWallClock } from '../../lib/wall-clock.ts';
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
  const [text, setText] = useState(() => (at === null ? '' : toWallClock(at, timeZone, 'field')));
  const change = (next: string) => {
    setText(next);
    const moment = parseWallClock(next, timeZone, { format: 'field' });
    if (next === '' || (moment !== null && moment.getUTCFullYear() >= firstYear)) onChange(moment);
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
      <Button variant="default" aria-pressed={at === null} onClick={() => change('')}>
        Now
      </Button>
    </div>
  );
}
