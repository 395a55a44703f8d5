import { isRosterComplete, type OnCall } from '@portal/contract/support-roster';
import { NoOneOnCall } from '../../apps/no-one-on-call.tsx';
import { useSession } from '../../session/use-session.ts';
import { StatusChip } from '../../ui/status-chip.tsx';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { PhoneNumber } from './phone-number.tsx';
import styles from './support-roster.module.css';

/** Who is on call for the team, until when, and the numbers to call. */
export function PeopleNow({ state }: { state: OnCall }) {
  if (state.now.length === 0) return <NoOneOnCall state={state} />;
  return state.now.map((person) => (
    <OnCallPerson
      key={`${person.personId} ${person.until}`}
      team={state.team}
      person={person}
      when="until"
      at={person.until}
    />
  ));
}

/** Who is on call for the team after that, and from when. */
export function PersonNext({ state }: { state: OnCall }) {
  const { team, next } = state;
  if (next) return <OnCallPerson team={team} person={next} when="from" at={next.from} />;
  // Beside "No one is on call", another warning would say the same.
  if (state.now.length === 0) return <span className="note">–</span>;
  return (
    <StatusChip tone="warning" label={isRosterComplete(state) ? 'No one is next' : 'No one is known to be next'} />
  );
}

interface OnCallPersonProps {
  readonly team: string;
  readonly person: { readonly name: string; readonly personId: string; readonly number?: string | null | undefined };
  /** "until" the person's period ends, or "from" when it starts. */
  readonly when: 'until' | 'from';
  /** ISO instant. */
  readonly at: string;
}

/** One person who is on call for the team, until or from when, and the number to call. */
function OnCallPerson({ team, person: { name, personId, number = null }, when, at }: OnCallPersonProps) {
  const { session } = useSession();
  return (
    <div className={styles.person}>
      <strong>{name}</strong>
      <span className="note">
        {when} <ZoneTime at={at} timeZone={session.environment.timeZone} />
      </span>
      <PhoneNumber team={team} personId={personId} name={name} number={number} />
    </div>
  );
}
