import { Skeleton } from '@mantine/core';
import type { AccessPlan } from '@portal/contract/schema-access';
import { formatDuration, formatExactMs } from '../../../lib/format.ts';
import type { AccessAct } from './access-act.ts';
import { ActionList } from './action-list.tsx';
import { CountList } from './count-list.tsx';
import { Fact, Facts } from './facts.tsx';
import { describeCounts } from './object-counts.ts';
import { WarningList } from './warning-list.tsx';

/** What would happen, where, to what, by which statements. */
export function PlanDetails(props: { act: AccessAct['kind']; plan: AccessPlan; environment: string }) {
  const { act, plan, environment } = props;
  const { dataSource, schemaName, owner, newOwner, appRole, actions, counts, warnings, tookMs } = plan;
  const where = (
    <>
      schema <strong>{schemaName}</strong> of data source <strong>{dataSource}</strong> in{' '}
      <strong>{environment}</strong>
    </>
  );
  if (actions.length === 0) {
    return (
      <>
        <p>
          There is nothing to do: everything in {where} belongs to <strong>{newOwner}</strong> already, with all that
          goes with it.
        </p>
        <WarningList warnings={warnings} />
      </>
    );
  }
  return (
    <>
      <p>
        {act === 'grant' ? (
          <>
            <strong>{newOwner}</strong> becomes the owner of {describeCounts(counts)} in {where}. All of it happens, or
            nothing does.
          </>
        ) : (
          <>
            Owners and privileges of {describeCounts(counts)} in {where} become what they were before the grant. All of
            it happens, or nothing does.
          </>
        )}
      </p>
      <WarningList warnings={warnings} />
      <Facts>
        <Fact name="Owner now">{owner}</Fact>
        <Fact name="Owner then">{newOwner}</Fact>
        <Fact name="App’s role">{appRole}, which goes on working</Fact>
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

/** About as much room as a plan takes. */
export function PlanSkeleton() {
  return (
    <div className="stack" role="status" aria-label="The plan is being made">
      <p>Trying it out in a transaction that is rolled back …</p>
      <Skeleton height={14} width="80%" />
      <Skeleton height={14} width="55%" />
      <Skeleton height={14} width="60%" />
      <Skeleton height={180} />
    </div>
  );
}
