import type { OnCall } from '@portal/contract/support-roster';
import { useSession } from '../../session/use-session.ts';
import { StatusChip } from '../../ui/status-chip.tsx';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { PhoneNumber } from './phone-number.tsx';
import styles from './support-roster.module.css';

/** Who is on call for the team, until when, and the numbers to call. */
export function PeopleNow({ team, people }: { team: string; people: OnCall['now'] }) {
  if (people.length === 0) return <StatusChip tone="warning" label="No one is on call" />;
  return people.map((person) => (
    <OnCallPerson
      key={`${person.personId} ${person.until}`}
      team={team}
      person={person}
      when="until"
      at={person.until}
    />
  ));
}

/** Who is on call for the team after that, and from when. */
export function PersonNext({ team, person }: { team: string; person: OnCall['next'] }) {
  if (person === null) return <StatusChip tone="warning" label="No one is next" />;
  return <OnCallPerson team={team} person={person} when="from" at={person.from} />;
}

interface OnCallPersonProps {
  readonly team: string;
  readonly person: { readonly name: string; readonly personId: string; readonly number: string | null };
  /** "until" the person's period ends, or "from" when it starts. */
  readonly when: 'until' | 'from';
  /** ISO instant. */
  readonly at: string;
}

/** One person who is on call for the team, until or from when, and the number to call. */
function OnCallPerson({ team, person: { name, personId, number }, when, at }: OnCallPersonProps) {
  const { session } = useSession();
  return (
    <div className={styles.person}>
      <strong>{name}</strong>
      <span className="note">
        {when} <ZoneTime at={at} timeZone={session.environment.timeZone} />
      </span>
      <PhoneNumber team={team} personId={personId} name={name} masked={number} />
    </div>
  );
}
