import { revealNumber } from '@portal/contract/support-roster';
import { useCall } from '../../lib/use-call.ts';
import { useTeamRefusal } from '../../session/use-subject-refusal.ts';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { showProblem } from '../../ui/popups.ts';
import styles from './support-roster.module.css';

/**
 * A phone number, masked except for its last digits. Revealing it is audited. It then shows
 * wherever this person appears on the page, until they all disappear.
 */
export function PhoneNumber(props: { team: string; personId: string; name: string; masked: string | null }) {
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
  if (masked === null || revealed.data?.number === null) return <span className="note">No number on file</span>;
  if (revealed.data) {
    return (
      <a className={styles.number} href={`tel:${revealed.data.number.replaceAll(/[^\d+]/g, '')}`}>
        {revealed.data.number}
      </a>
    );
  }
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
