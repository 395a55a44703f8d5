import { Skeleton } from '@mantine/core';
import type { AccessGrant } from '@portal/contract/schema-access';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { LongWords } from '../../../ui/long-words.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { ActionList } from '../plan/action-list.tsx';
import { CountList } from '../plan/count-list.tsx';
import { Fact, Facts } from '../plan/facts.tsx';
import { useAccessGrant } from '../use-schema-access.ts';
import { GrantStateChip } from './grant-state-chip.tsx';

/** All details of a grant: who, when and why, the statements that ran, and the SQL to revert it. */
export function GrantReceipt({ grantId, onRevert }: { grantId: string; onRevert: (grant: AccessGrant) => void }) {
  const load = useAccessGrant(grantId);
  const refusal = useAppRefusal('schema-access.grant', ...(load.data ? [load.data.grant.appId] : []));
  if (load.data === undefined) {
    return load.isError ? (
      <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />
    ) : (
      <ReceiptSkeleton />
    );
  }
  const { grant, actions, inverse, obstacle } = load.data;
  return (
    <div className="stack">
      {load.isError && <ProblemNote problem={load.error} hasStaleData onRetry={() => void load.refetch()} />}
      <Facts>
        <Fact name="State">
          <GrantStateChip state={grant.state} />
        </Fact>
        <Fact name="Schema">
          <PlatformText text={grant.schemaName} /> of <PlatformText text={grant.appName} />, in data source{' '}
          {grant.dataSource}
        </Fact>
        <Fact name="Team">
          <PlatformText text={grant.team} />
        </Fact>
        <Fact name="Previous owner">
          <LongWords text={grant.previousOwner} />
        </Fact>
        <Fact name="Granted">
          <RelativeTime at={grant.grantedAt} /> by {grant.grantedBy}
        </Fact>
        <Fact name="Reason">{grant.reason ?? 'no reason given'}</Fact>
        {grant.endedAt !== null && (
          <Fact name="Until">
            <RelativeTime at={grant.endedAt} />
            {grant.endedBy !== null && ` by ${grant.endedBy}`}
            {grant.endReason !== null && `: ${grant.endReason}`}
          </Fact>
        )}
        <Fact name="Objects">
          <CountList counts={grant.counts} />
        </Fact>
      </Facts>
      <ActionList actions={actions} label="Statements that ran" />
      <ActionList actions={inverse} label="SQL to revert" />
      <div className="buttons">
        <ExplainedButton
          variant="default"
          leftSection={<IconArrowBackUp size={16} stroke={1.6} aria-hidden />}
          reason={refusal ?? obstacle}
          hint="Shows a preview first"
          onClick={() => onRevert(grant)}
        >
          Revert
        </ExplainedButton>
      </div>
    </div>
  );
}

function ReceiptSkeleton() {
  return (
    <div className="stack">
      {[40, 70, 30, 50, 60].map((width) => (
        <Skeleton key={width} height={14} width={`${width}%`} />
      ))}
      <Skeleton height={160} />
    </div>
  );
}
