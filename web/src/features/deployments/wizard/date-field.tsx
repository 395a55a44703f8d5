import { ActionIcon, Popover, TextInput } from '@mantine/core';
import '@mantine/core/styles/Popover.layer.css';
import { DatePicker, TimeInput } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import { defaultDeploymentTime } from '@portal/contract/deployments-rules';
import { IconCalendar } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { isWeekendDay, shiftDay } from '../calendar/calendar-month.ts';
import { joinDateAndTime, parseDay, parseTime } from './date-entry.ts';
import styles from './wizard.module.css';

/** Escape on what is inside closes the calendar, and not the dialog around it. */
const closesAlone = { 'data-mantine-stop-propagation': true };
const calendarClosesAlone = { __stopPropagation: true };

/**
 * The day and the time of a deployment, both to type. A calendar offers the days from the first
 * one, without weekends.
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
  // What is typed need not be a date yet. A value from elsewhere, such as the tag, replaces it.
  const [typed, setTyped] = useState(() => toEntry(value, defaultDeploymentTime));
  const { day, time } = value === typed.value ? typed : toEntry(value, typed.time);
  const change = (next: { readonly day: string; readonly time: string }) => {
    const joined = joinDateAndTime(next.day, next.time);
    setTyped({ ...next, value: joined });
    onChange(joined);
  };
  const chosen = parseDay(day);
  const start = findStart(chosen !== null && chosen >= firstDay ? chosen : firstDay);
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
          <Popover
            opened={isOpen}
            onChange={setIsOpen}
            // Inside the dialog, which keeps the focus and scrolls where there is little room.
            withinPortal={false}
            position="bottom-end"
            trapFocus
            returnFocus
            withRoles={false}
          >
            <Popover.Target>
              <ActionIcon
                color="gray"
                aria-label="Choose the day in a calendar"
                aria-haspopup="dialog"
                aria-expanded={isOpen}
                onClick={() => setIsOpen(!isOpen)}
              >
                <IconCalendar size={17} stroke={1.6} aria-hidden />
              </ActionIcon>
            </Popover.Target>
            <Popover.Dropdown {...closesAlone} role="dialog" aria-label="Days" tabIndex={-1}>
              <DatePicker
                {...calendarClosesAlone}
                value={chosen}
                defaultDate={start}
                onChange={(picked) => {
                  if (picked !== null) change({ day: picked, time: parseTime(time) ?? defaultDeploymentTime });
                  setIsOpen(false);
                }}
                classNames={{ day: styles.pickedDay }}
                minDate={firstDay}
                excludeDate={isWeekendDay}
                highlightToday={false}
                getDayProps={(each) => (each === start ? { 'data-autofocus': true } : {})}
                ariaLabels={{
                  nextMonth: 'Next month',
                  previousMonth: 'Previous month',
                  nextYear: 'Next year',
                  previousYear: 'Previous year',
                  nextDecade: 'Next decade',
                  previousDecade: 'Previous decade',
                }}
              />
            </Popover.Dropdown>
          </Popover>
        }
      />
      <TimeInput
        label="Time"
        withSeconds
        value={time}
        onChange={(event) => change({ day, time: event.currentTarget.value })}
        error={isInvalid && chosen !== null}
        required
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
