import { ActionIcon, Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef } from 'react';
import { formatDay, formatMonth } from '../../../format/instants.ts';
import { formatPlural } from '../../../format/numbers.ts';
import { formatTime, type ScheduleRow } from '../schedule/schedule-rows.ts';
import { getWeekday, getWeeks, isWeekendDay, shiftDay, shiftMonth, weekdays } from './calendar-month.ts';
import styles from './deployment-calendar.module.css';

const maxDots = 3;
/** How many lines a day has where the calendar is wide. */
const maxNames = 3;

/**
 * A month with the deployments of each day, by name where there is room. Selecting a day lists its
 * deployments; arrow keys move between days.
 */
export function DeploymentCalendar(props: {
  byDay: ReadonlyMap<string, readonly ScheduleRow[]>;
  /** 'YYYY-MM-DD' in the environment's time zone */
  today: string;
  /** null: the current month */
  month: string | null;
  day: string | null;
  onChange: (next: { month: string | null; day: string | null }) => void;
}) {
  const { byDay, today, day, onChange } = props;
  const month = props.month ?? (day ?? today).slice(0, 7);
  const grid = useRef<HTMLTableElement>(null);
  /** The only day in the tab order. */
  const tabStop = day?.startsWith(month) ? day : today.startsWith(month) ? today : `${month}-01`;

  const moveFocus = (event: KeyboardEvent, from: string) => {
    const targets: Record<string, string> = {
      ArrowLeft: shiftDay(from, -1),
      ArrowRight: shiftDay(from, 1),
      ArrowUp: shiftDay(from, -7),
      ArrowDown: shiftDay(from, 7),
      Home: shiftDay(from, -getWeekday(from)),
      End: shiftDay(from, 6 - getWeekday(from)),
      PageUp: `${shiftMonth(from.slice(0, 7), -1)}-01`,
      PageDown: `${shiftMonth(from.slice(0, 7), 1)}-01`,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onChange({ month: target.slice(0, 7), day: target });
    // The day may be in a month that is not rendered yet.
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>(`[data-day="${target}"]`)?.focus());
  };

  return (
    <section className={styles.root} aria-label="Calendar">
      <div className={styles.head}>
        <h2 aria-live="polite">{formatMonth(month)}</h2>
        <Button size="compact-sm" variant="default" onClick={() => onChange({ month: null, day: today })}>
          Today
        </Button>
        <ActionIcon
          color="gray"
          aria-label="Previous month"
          onClick={() => onChange({ month: shiftMonth(month, -1), day: null })}
        >
          <IconChevronLeft size={17} stroke={1.6} aria-hidden />
        </ActionIcon>
        <ActionIcon
          color="gray"
          aria-label="Next month"
          onClick={() => onChange({ month: shiftMonth(month, 1), day: null })}
        >
          <IconChevronRight size={17} stroke={1.6} aria-hidden />
        </ActionIcon>
      </div>
      <table ref={grid} className={styles.grid} aria-label={formatMonth(month)}>
        <thead>
          <tr>
            {weekdays.map((weekday) => (
              <th key={weekday} scope="col" abbr={weekday}>
                {weekday.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {getWeeks(month).map((week) => (
            <tr key={week[0]}>
              {week.map((at) => {
                const rows = byDay.get(at) ?? [];
                const count = rows.length;
                return (
                  <td key={at}>
                    <button
                      type="button"
                      data-day={at}
                      data-outside={!at.startsWith(month) || undefined}
                      data-weekend={isWeekendDay(at) || undefined}
                      data-today={at === today || undefined}
                      tabIndex={at === tabStop ? 0 : -1}
                      aria-pressed={at === day}
                      aria-current={at === today ? 'date' : undefined}
                      aria-label={`${formatDay(at)}${count > 0 ? `, ${formatPlural(count, 'deployment')}` : ''}`}
                      onClick={() => onChange({ month: at.slice(0, 7), day: at === day ? null : at })}
                      onKeyDown={(event) => moveFocus(event, at)}
                    >
                      {Number(at.slice(8))}
                      <span className={styles.dots} aria-hidden>
                        {count > maxDots ? count : '•'.repeat(count)}
                      </span>
                      <span className={styles.names} aria-hidden>
                        {rows.slice(0, count > maxNames ? maxNames - 1 : maxNames).map((row) => (
                          <span key={row.schedule.id}>
                            {formatTime(row)} {row.schedule.releaseName}
                          </span>
                        ))}
                        {count > maxNames && <span>{count - maxNames + 1} more</span>}
                      </span>
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {day !== null && <DayList day={day} rows={byDay.get(day) ?? []} />}
    </section>
  );
}

function DayList({ day, rows }: { day: string; rows: readonly ScheduleRow[] }) {
  return (
    <div className={styles.day}>
      <h3>{formatDay(day)}</h3>
      {rows.length === 0 && (
        <p>{isWeekendDay(day) ? 'Deployments cannot be scheduled on weekends.' : 'No deployments are scheduled.'}</p>
      )}
      <ul>
        {rows.map((row) => (
          <li key={row.schedule.id}>
            <span>{formatTime(row)}</span>
            <Link to="/deployments/$schedule" params={{ schedule: row.schedule.id }} className="text-link">
              {row.schedule.releaseName}
            </Link>
            <span className={styles.team}>
              {row.schedule.team}
              {row.schedule.scheduleStatus === 'RESOLVED' && ', resolved'}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
