import { Skeleton } from '@mantine/core';
import { isRosterComplete, type OnCall } from '@portal/contract/support-roster';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useSession } from '../../session/use-session.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { PeopleNow, PersonNext } from './people-on-call.tsx';
import { RosterRemarks } from './roster-remarks.tsx';
import styles from './support-roster.module.css';
import type { useOnCall } from './use-roster.ts';

/** How many gaps are listed before the rest are counted. */
const maxGaps = 3;

interface OnCallPanelProps {
  readonly team: string;
  /** The moment of `load`; null for now. */
  readonly at: Date | null;
  readonly load: ReturnType<typeof useOnCall>;
}

/** Who is on call for the team at a moment and next, and the gaps when no one is. */
export function OnCallPanel({ team, at, load }: OnCallPanelProps) {
  const state = load.data?.find((one) => one.team === team);
  return (
    <section className={styles.section} aria-labelledby="on-call">
      <h2 id="on-call">On call</h2>
      {load.error && (
        <ProblemNote problem={load.error} hasStaleData={state !== undefined} onRetry={() => void load.refetch()} />
      )}
      {load.isPending && <Skeleton height={96} />}
      {state && <TeamOnCall state={state} at={at} />}
    </section>
  );
}

function TeamOnCall({ state, at: moment }: { state: OnCall; at: Date | null }) {
  const { session } = useSession();
  const { timeZone } = session.environment;
  const { gaps } = state;
  const at = (instant: string) => <ZoneTime at={instant} timeZone={timeZone} />;
  return (
    <>
      <dl className={styles.facts}>
        <Fact label={moment === null ? 'Now' : at(moment.toISOString())}>
          <PeopleNow state={state} />
        </Fact>
        <Fact label="Next">
          <PersonNext state={state} />
        </Fact>
        <Fact label={moment === null ? 'Gaps in the next 30 days' : 'Gaps in the 30 days after'}>
          {gaps.length === 0 && isRosterComplete(state) && <StatusChip tone="success" label="None" />}
          {gaps.length === 0 && !isRosterComplete(state) && <StatusChip tone="warning" label="Not known" />}
          {gaps.slice(0, maxGaps).map(({ from, to }) => (
            <span key={from} className={styles.gap}>
              <IconAlertTriangle size={15} stroke={1.6} aria-hidden />
              <span>
                {at(from)} – {at(to)}
              </span>
            </span>
          ))}
          {gaps.length > maxGaps && <span className="note">and {gaps.length - maxGaps} more</span>}
        </Fact>
      </dl>
      <p className="note">
        {describeSource(state.source)}
        {state.source !== 'portal' && state.readAt !== null && (
          <>
            , read <RelativeTime at={state.readAt} />
          </>
        )}
        .
        {state.problem !== null && (
          <span className={styles.stale}>
            <IconAlertTriangle size={15} stroke={1.6} aria-hidden />{' '}
            {state.readAt === null ? 'Could not be read yet' : 'Not refreshed since then'}: {state.problem}
          </span>
        )}
      </p>
      <RosterRemarks state={state} />
    </>
  );
}

function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function describeSource(source: string): string {
  if (source === 'portal') return 'Managed in the portal';
  return source === 'calendar' ? 'From the team’s calendar' : `From ${source}`;
}
