import { ActionIcon, TextInput } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import { defaultDeploymentTime } from '@portal/contract/deployments-rules';
import { IconCalendar } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useInnerLayer } from '../../../ui/dialog-layers.ts';
import { isWeekendDay, shiftDay } from '../calendar/calendar-month.ts';
import { joinDateAndTime, parseDay, parseTime } from './date-entry.ts';
import styles from './wizard.module.css';

/**
 * The day and the time of a deployment, both to type. A calendar offers the days from the first
 * one, without weekends. It is part of the form, which scrolls where there is little room.
 */
export function DateField(props: {
  /** 'YYYY-MM-DD HH:mm:ss'; null while the day or the time is missing */
  value: string | null;
  /** 'YYYY-MM-DD' */
  firstDay: string;
  description: ReactNode;
  isInvalid: boolean;
  onChange: (value: string | null) => void;
}) {
  const { value, firstDay, isInvalid, onChange } = props;
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  // What is typed need not be a date yet. A value from elsewhere, such as the tag, replaces it.
  const [typed, setTyped] = useState(() => toEntry(value, defaultDeploymentTime));
  const { day, time } = value === typed.value ? typed : toEntry(value, typed.time);
  const change = (next: { readonly day: string; readonly time: string }) => {
    const joined = joinDateAndTime(next.day, next.time);
    setTyped({ ...next, value: joined });
    onChange(joined);
  };
  const close = () => {
    setIsOpen(false);
    opener.current?.focus();
  };
  const chosen = parseDay(day);
  return (
    <div className={styles.dateAndTime}>
      <TextInput
        label="Deployment Date"
        description={props.description}
        placeholder="YYYY-MM-DD"
        value={day}
        onChange={(event) => change({ day: event.currentTarget.value, time })}
        error={isInvalid}
        required
        autoComplete="off"
        maxLength={20}
        rightSection={
          <ActionIcon
            ref={opener}
            color="gray"
            aria-label="Choose the day in a calendar"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            <IconCalendar size={17} stroke={1.6} aria-hidden />
          </ActionIcon>
        }
      />
      <TextInput
        label="Time"
        placeholder="HH:MM:SS"
        value={time}
        onChange={(event) => change({ day, time: event.currentTarget.value })}
        error={isInvalid && chosen !== null}
        required
        autoComplete="off"
        inputMode="numeric"
        maxLength={10}
      />
      {isOpen && (
        <DayChoice
          chosen={chosen}
          firstDay={firstDay}
          onChoose={(picked) => {
            change({ day: picked, time: parseTime(time) ?? defaultDeploymentTime });
            close();
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

function DayChoice(props: {
  chosen: string | null;
  firstDay: string;
  onChoose: (day: string) => void;
  onClose: () => void;
}) {
  const { chosen, firstDay, onClose } = props;
  const start = findStart(chosen !== null && chosen >= firstDay ? chosen : firstDay);
  const root = useRef<HTMLDivElement>(null);
  useInnerLayer(root, onClose);
  useEffect(() => root.current?.querySelector<HTMLElement>('[data-start]')?.focus(), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a level of the form
    <div ref={root} className={styles.days} role="group" aria-label="Days">
      <DatePicker
        value={chosen}
        defaultDate={start}
        onChange={(picked) => (picked === null ? onClose() : props.onChoose(picked))}
        classNames={{ day: styles.pickedDay }}
        minDate={firstDay}
        excludeDate={isWeekendDay}
        highlightToday={false}
        getDayProps={(each) => (each === start ? { 'data-start': true } : {})}
        ariaLabels={{
          nextMonth: 'Next month',
          previousMonth: 'Previous month',
          nextYear: 'Next year',
          previousYear: 'Previous year',
          nextDecade: 'Next decade',
          previousDecade: 'Previous decade',
        }}
      />
    </div>
  );
}

function toEntry(value: string | null, usualTime: string) {
  return { value, day: value?.slice(0, 10) ?? '', time: value?.slice(11) ?? usualTime };
}

/** Returns the day, or the next one that is no weekend. */
function findStart(day: string): string {
  return isWeekendDay(day) ? findStart(shiftDay(day, 1)) : day;
}
