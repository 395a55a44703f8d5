import { type TrailEntry, type TrailEvent, trailDays } from '@portal/contract/sync/trail';
import { useSession } from '../../../session/use-session.ts';
import { ZoneTime } from '../../../ui/zone-time.tsx';
import styles from './find-record.module.css';

const eventTexts: Readonly<Record<TrailEvent, string>> = {
  sent: 'Helium’s change reached Journey',
  'deleted in Journey': 'Helium’s deletion reached Journey',
  'not in Journey': 'Journey did not have the record that changed in Helium',
  'rejected by Journey': 'Journey rejected Helium’s change',
  'waiting for Journey': 'Helium’s change is waiting: Journey neither accepted nor rejected it',
  written: 'Journey’s change reached Helium',
  'deleted in Helium': 'Journey’s deletion reached Helium',
  merged: 'Journey’s change was merged into Helium’s row, with a conflict',
  unchanged: 'Journey’s change arrived, and Helium’s row already had it',
  'waiting for Helium': 'Journey’s change arrived and is waiting',
  parked: 'Journey’s change arrived and was parked: another record is missing',
  'rejected by Helium': 'Journey’s change arrived, and Helium rejected it',
  skipped: 'Journey’s change arrived and was skipped',
};

const toJourney: readonly TrailEvent[] = [
  'sent',
  'deleted in Journey',
  'not in Journey',
  'rejected by Journey',
  'waiting for Journey',
];

/** What happened to a record, the newest first. */
export function Trail({ entries }: { entries: readonly TrailEntry[] | null }) {
  const { session } = useSession();
  return (
    <section className={styles.section}>
      <h4>Trail of the last {trailDays} days</h4>
      <ul>
        {entries?.map(({ at, event, version }) => (
          <li key={`${at} ${event} ${version}`}>
            <span className="note">
              <ZoneTime at={at} timeZone={session.environment.timeZone} />
            </span>{' '}
            {eventTexts[event]}
            {version !== null && (
              <span className="note">
                {' '}
                ({toJourney.includes(event) ? 'change log' : 'op-log'} up to {version})
              </span>
            )}
          </li>
        ))}
        {entries?.length === 0 && <li className="note">It was not synced in this time.</li>}
        {entries === null && <li className="note">The trail could not be searched in time. Search by id.</li>}
      </ul>
    </section>
  );
}
