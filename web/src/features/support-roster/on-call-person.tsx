import { useSession } from '../../session/use-session.ts';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { PhoneNumber } from './phone-number.tsx';
import styles from './support-roster.module.css';

interface OnCallPersonProps {
  readonly team: string;
  readonly person: { readonly name: string; readonly personId: string; readonly number: string | null };
  /** "until" the person's period ends, or "from" when it starts. */
  readonly when: 'until' | 'from';
  /** ISO instant. */
  readonly at: string;
}

/** One person who is on call for the team, until or from when, and the number to call. */
export function OnCallPerson({ team, person: { name, personId, number }, when, at }: OnCallPersonProps) {
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
