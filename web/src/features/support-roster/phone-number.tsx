import { isMaskedNumber, revealNumber } from '@portal/contract/support-roster';
import { useCall } from '../../api/use-call.ts';
import { useTeamRefusal } from '../../session/use-subject-refusal.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { showProblem } from '../../ui/popups.ts';
import styles from './support-roster.module.css';

interface PhoneNumberProps {
  readonly team: string;
  readonly personId: string;
  readonly name: string;
  /** Null if unknown. */
  readonly number: string | null;
}

/** A phone number to call, or how to reveal it where numbers are masked. */
export function PhoneNumber({ number, ...person }: PhoneNumberProps) {
  if (number === null) return <span className="note">No number on file</span>;
  return isMaskedNumber(number) ? <MaskedNumber {...person} masked={number} /> : <CallLink number={number} />;
}

function CallLink({ number }: { number: string }) {
  return (
    <a className={styles.number} href={`tel:${number.replaceAll(/[^\d+]/g, '')}`}>
      {number}
    </a>
  );
}

/**
 * A phone number, masked except for its last digits. Revealing it is audited. It then shows
 * wherever this person appears on the page, until they all disappear.
 */
function MaskedNumber(props: Omit<PhoneNumberProps, 'number'> & { readonly masked: string }) {
  const { team, personId, name, masked } = props;
  const refusal = useTeamRefusal('roster.reveal', team);
  const revealed = useCall(
    revealNumber,
    { team, personId },
    {
      enabled: false,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      retry: false,
    },
  );
  if (revealed.data?.number === null) return <span className="note">No number on file</span>;
  if (revealed.data) return <CallLink number={revealed.data.number} />;
  const reveal = () =>
    void revealed.refetch().then(({ error }) => {
      if (error) showProblem('Unable to show the number', error);
    });
  return (
    <span className={styles.masked}>
      <span className={styles.number}>{masked}</span>
      <ExplainedButton
        size="compact-sm"
        variant="subtle"
        aria-label={`Show the number of ${name}`}
        hint="The audit trail records who revealed it"
        reason={refusal}
        loading={revealed.isFetching}
        onClick={reveal}
      >
        Show
      </ExplainedButton>
    </span>
  );
}
