import { Button } from '@mantine/core';
import { IconDownload, IconRefresh } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatInstant } from '../../format/instants.ts';
import { useReadOnlyRefusal, useRefusal, useSession } from '../../session/use-session.ts';
import { useAddress } from '../../state/use-address.ts';
import { DownloadLink } from '../../ui/download-link.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import styles from './audit.module.css';
import { auditColumns } from './audit-columns.tsx';
import { AuditCount } from './audit-count.tsx';
import { AuditDetails } from './audit-details.tsx';
import { isFiltered, readAuditFilter, toExportAddress } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { useAudit } from './use-audit.ts';

const filterNames = ['search', 'user', 'action', 'outcome', 'app', 'from', 'to', 'entry', 'page'] as const;

export function AuditPage() {
  const { session, apps } = useSession();
  const refusal = useRefusal('audit.view');
  const exportRefusal = useReadOnlyRefusal();
  const [address, changeAddress] = useAddress();
  const filter = readAuditFilter(address);
  const audit = useAudit(filter, refusal === null);
  useProblemPopup('Unable to get the audit trail', audit);

  const { entries } = audit;
  const users = useMemo(() => distinct(entries?.map((entry) => entry.username)), [entries]);
  const actions = useMemo(() => distinct(entries?.map((entry) => entry.action)), [entries]);
  const opened = entries?.find((entry) => entry.id === filter.entry) ?? null;
  // Keeps its content until the dialog has closed.
  const [shown, setShown] = useState(opened);
  if (opened !== null && opened !== shown) setShown(opened);

  /**
   * A changed filter returns to the first page and closes the entry; opening an entry keeps the
   * filter.
   */
  const change = (next: Readonly<Record<string, string | undefined>>) =>
    changeAddress((current) => {
      const { page: _page, entry: _entry, ...rest } = current;
      return removeEmpty({ ...rest, ...next });
    });
  const open = (id: string | undefined) => changeAddress((current) => removeEmpty({ ...current, entry: id }));

  return (
    <Page
      crumbs={[{ label: 'Audit' }]}
      title="Audit"
      lead={
        `Who changed what in ${session.environment.name}, when and from where. Entries cannot be changed or deleted.` +
        (audit.isPartial ? ' You see your own entries and those about your apps.' : '')
      }
      actions={
        refusal === null && (
          <>
            <DownloadLink
              leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
              href={toExportAddress(filter)}
              fileName={`audit ${session.environment.name}.csv`}
              reason={exportRefusal}
            >
              Export as CSV
            </DownloadLink>
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
              onClick={audit.refetch}
            >
              Refresh
            </Button>
          </>
        )
      }
    >
      {refusal !== null ? (
        <Empty text={refusal} />
      ) : (
        <>
          <AuditFilters
            filter={filter}
            apps={apps}
            users={users}
            actions={actions}
            onChange={change}
            onClear={() => change(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
          />
          <DataTable
            name="Audit trail"
            rows={entries}
            rowId={(entry) => entry.id}
            columns={auditColumns}
            searchable={false}
            isPrevious={audit.isPrevious}
            loading={audit.isFetching}
            error={audit.error}
            onRetry={audit.refetch}
            onRowClick={(entry) => open(entry.id)}
            emptyText={isFiltered(filter) ? 'No entries match these filters.' : 'No entries yet.'}
            emptyHint={
              isFiltered(filter)
                ? 'Remove a filter or widen the date range.'
                : 'Every change and every sign-in is recorded here.'
            }
          />
          {audit.searchedSince !== null && (
            <p className="quiet">
              Nothing before {formatInstant(new Date(audit.searchedSince), false)} was searched. To find older entries,
              set “To” or search for a longer word.
            </p>
          )}
          {entries && audit.hasMore && (
            <div className={styles.more}>
              <AuditCount shown={entries.length} filter={filter} />
              <Button variant="default" loading={audit.isLoadingMore} onClick={audit.loadMore}>
                Load more
              </Button>
            </div>
          )}
          <AuditDetails entry={shown} opened={opened !== null} onClose={() => open(undefined)} />
        </>
      )}
    </Page>
  );
}

function distinct(texts: readonly string[] | undefined): string[] {
  return [...new Set(texts)].sort((a, b) => a.localeCompare(b));
}

/** Removes empty values, which do not belong in an address. */
function removeEmpty(address: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, text] of Object.entries(address)) if (text !== undefined && text !== '') result[name] = text;
  return result;
}
