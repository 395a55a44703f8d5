import { NativeSelect } from '@mantine/core';
import { getLastReset, type LastReset, resetStats } from '@portal/contract/db-spy';
import type { DataSource } from '@portal/contract/environments';
import { IconRestore } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { useCall } from '../../../api/use-call.ts';
import { useSession } from '../../../session/use-session.ts';
import { useHostRefusal } from '../../../session/use-subject-refusal.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { showSuccess } from '../../../ui/popups.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../db-spy.module.css';

/**
 * Resets the statistics of a database server after the user picks it and types a confirmation word.
 */
export function ResetStats({ hostname }: { /** The initial choice; null for none. */ hostname: string | null }) {
  const { session } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState('');
  const { name: environment, dataSources } = session.environment;
  const hosts = getHostChoices(dataSources);
  const only = hosts.length === 1 ? (hosts[0]?.value ?? '') : '';
  const refusal = useHostRefusal('statistics.reset', isOpen ? chosen : only);
  const lastResets = useCall(getLastReset, { environment }, { invalidatedBy: [resetStats], enabled: isOpen });
  const reset = useMutation({
    mutationFn: (hostname: string) => call(resetStats, { hostname }, { query: { hostname } }),
    onSuccess: ({ databaseHost }) => {
      setIsOpen(false);
      showSuccess('Success', `The statistics of ${databaseHost} were reset.`);
    },
    meta: { changes: [resetStats] },
  });
  return (
    <>
      <ExplainedButton
        variant="default"
        leftSection={<IconRestore size={16} stroke={1.6} aria-hidden />}
        reason={isOpen ? null : refusal}
        onClick={() => {
          reset.reset();
          setChosen(hostname ?? '');
          setIsOpen(true);
        }}
      >
        Reset Stats
      </ExplainedButton>
      <ConfirmModal
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title="Reset Stats"
        confirmLabel="Reset"
        confirmWord="RESET"
        danger
        isReady={chosen !== '' && refusal === null}
        pending={reset.isPending}
        onConfirm={() => reset.mutate(chosen)}
      >
        <div className="stack">
          <NativeSelect
            label="Data source"
            data={[{ value: '', label: 'Select a database server' }, ...hosts]}
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          <p>
            The statistics of <strong>all databases and apps on this server</strong> are reset to zero for everyone. The
            portal takes a snapshot of them first.
          </p>
          {lastResets.isError ? (
            <ProblemNote problem={lastResets.error} onRetry={() => void lastResets.refetch()} />
          ) : (
            <LastResets entries={lastResets.data} chosen={chosen} />
          )}
          {refusal !== null && <p>{refusal}</p>}
          {reset.isError && <ProblemNote problem={reset.error} />}
        </div>
      </ConfirmModal>
    </>
  );
}

/** Returns one option per server, with its data sources. */
function getHostChoices(dataSources: readonly DataSource[]): { value: string; label: string }[] {
  return [...new Set(dataSources.map(({ hostname }) => hostname))].map((hostname) => {
    const names = dataSources.filter((one) => one.hostname === hostname).map((one) => one.heliumDataSourceName);
    return { value: hostname, label: `${hostname} (${names.join(', ')})` };
  });
}

function LastResets({ entries, chosen }: { entries: readonly LastReset[] | undefined; chosen: string }) {
  return (
    <table className={styles.resets} aria-label="Last resets" aria-busy={entries === undefined}>
      <thead>
        <tr>
          <th scope="col">Database host</th>
          <th scope="col">Last reset</th>
        </tr>
      </thead>
      <tbody>
        {entries === undefined && (
          <tr>
            <td colSpan={2}>Loading …</td>
          </tr>
        )}
        {entries?.map(({ databaseHost, lastReset, problem }) => (
          <tr key={databaseHost} data-chosen={databaseHost === chosen || undefined}>
            <td>{databaseHost}</td>
            <td>{problem ?? (lastReset === null ? 'Unknown' : <RelativeTime at={lastReset} />)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
