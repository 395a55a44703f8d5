import { Skeleton } from '@mantine/core';
import type { AccessPlan } from '@portal/contract/schema-access';
import { formatDuration, formatExactMs } from '../../../format/durations.ts';
import { LongWords } from '../../../ui/long-words.tsx';
import type { AccessRequest } from './access-request.ts';
import { ActionList } from './action-list.tsx';
import { CountList } from './count-list.tsx';
import { Fact, Facts } from './facts.tsx';
import { describeCounts } from './object-counts.ts';
import { WarningList } from './warning-list.tsx';

/** Shows the effect of a plan: where, which objects, and the statements. */
export function PlanDetails(props: { kind: AccessRequest['kind']; plan: AccessPlan; environment: string }) {
  const { kind, plan, environment } = props;
  const { dataSource, schemaName, owner, newOwner, appRole, actions, counts, warnings, tookMs } = plan;
  const location = (
    <>
      schema <strong>{schemaName}</strong> of data source <strong>{dataSource}</strong> in{' '}
      <strong>{environment}</strong>
    </>
  );
  if (actions.length === 0) {
    return (
      <>
        <p>
          Nothing to change: everything in {location} already belongs to <strong>{newOwner}</strong>, with all
          privileges.
        </p>
        <WarningList warnings={warnings} />
      </>
    );
  }
  return (
    <>
      <p>
        {kind === 'grant' ? (
          <>
            <strong>{newOwner}</strong> becomes the owner of {describeCounts(counts)} in {location}. Either all changes
            are made or none.
          </>
        ) : (
          <>
            Owners and privileges of {describeCounts(counts)} in {location} are restored to what they were before the
            grant. Either all changes are made or none.
          </>
        )}
      </p>
      <WarningList warnings={warnings} />
      <Facts>
        <Fact name="Current owner">
          <LongWords text={owner} />
        </Fact>
        <Fact name="New owner">
          <LongWords text={newOwner} />
        </Fact>
        <Fact name="App’s role">
          <LongWords text={`${appRole}, which keeps working`} />
        </Fact>
        <Fact name="Locked for">
          <span title={formatExactMs(tookMs)}>about {formatDuration(tookMs)}</span>, as long as the dry run took
        </Fact>
        <Fact name="Objects">
          <CountList counts={counts} />
        </Fact>
      </Facts>
      <ActionList actions={actions} label="Statements" />
    </>
  );
}

/** Takes about as much space as a plan. */
export function PlanSkeleton() {
  return (
    <div className="stack" role="status" aria-label="Creating the plan">
      <p>Running the statements in a transaction that is rolled back …</p>
      <Skeleton height={14} width="80%" />
      <Skeleton height={14} width="55%" />
      <Skeleton height={14} width="60%" />
      <Skeleton height={180} />
    </div>
  );
}
