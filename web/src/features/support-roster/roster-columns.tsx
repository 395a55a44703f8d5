import type { RosterRow } from '@portal/contract/support-roster';
import { getServerNow } from '../../api/server-clock.ts';
import { formatInZone } from '../../format/instants.ts';
import { StatusChip } from '../../ui/status-chip.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { PhoneNumber } from './phone-number.tsx';
import styles from './support-roster.module.css';

/** Whether the shift includes the current time. */
export function isOnCallNow(row: RosterRow): boolean {
  const now = getServerNow();
  return Date.parse(row.start) <= now && now < Date.parse(row.end);
}

export function getRosterColumns(team: string, timeZone: string): readonly DataColumn<RosterRow>[] {
  const inZone = (at: string) => formatInZone(new Date(at), timeZone, new Date(getServerNow()));
  return [
    {
      id: 'name',
      header: 'Name',
      value: (row) => row.name,
      cell: (row) => (
        <span className={styles.name}>
          {row.name}
          {isOnCallNow(row) && <StatusChip tone="primary" label="On call now" />}
        </span>
      ),
    },
    {
      id: 'number',
      header: 'Number',
      value: (row) => row.number,
      cell: (row) => <PhoneNumber team={team} personId={row.personId} name={row.name} number={row.number} />,
    },
    { id: 'date', header: 'Date', value: (row) => row.date },
    {
      id: 'span',
      header: 'From – until',
      value: (row) => `${inZone(row.start)} – ${inZone(row.end)}`,
      sortable: false,
      cell: (row) => (
        <span>
          <ZoneTime at={row.start} timeZone={timeZone} /> – <ZoneTime at={row.end} timeZone={timeZone} />
        </span>
      ),
    },
  ];
}
