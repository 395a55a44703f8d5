import { Button } from '@mantine/core';
import { explainStatement, type StatRow } from '@portal/contract/db-spy';
import { IconBinaryTree } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { useSession } from '../../../session/use-session.ts';
import { CopyButton } from '../../../ui/copyable.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import type { StatsTarget } from '../use-stats.ts';
import styles from './query-detail.module.css';

/** Shows the query plan of a statement on request, or why it is not available. */
export function QueryPlan({ target, row, refusal }: { target: StatsTarget; row: StatRow; refusal: string | null }) {
  const { session } = useSession();
  const explain = useMutation({
    mutationFn: () => call(explainStatement, { environment: session.environment.name, ...target, id: row.id }),
  });
  const reason = refusal ?? explain.data?.reason ?? null;
  const { plan = null, note = null } = explain.data ?? {};
  return (
    <section className={styles.plan} aria-label="Plan">
      <h3>Plan</h3>
      {reason !== null && <p className="note">{reason}</p>}
      {reason === null && plan === null && (
        <div className={styles.ask}>
          <Button
            variant="default"
            leftSection={<IconBinaryTree size={16} stroke={1.6} aria-hidden />}
            loading={explain.isPending}
            onClick={() => explain.mutate()}
          >
            Show the plan
          </Button>
          <span className="note">Shows the planner’s choice; the statement is not run.</span>
        </div>
      )}
      {explain.isError && <ProblemNote problem={explain.error} />}
      {note !== null && <p className={styles.planNote}>{note}</p>}
      {plan !== null && (
        <div className={styles.planText}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          <pre tabIndex={0}>{plan}</pre>
          <CopyButton value={plan} label="Copy the plan" />
        </div>
      )}
    </section>
  );
}
