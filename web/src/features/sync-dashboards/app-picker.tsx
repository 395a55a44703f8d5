import { ActionIcon, Skeleton, TextInput } from '@mantine/core';
import { syncTexts } from '@portal/contract/sync/texts';
import { IconChevronLeft, IconChevronRight, IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { useSession } from '../../session/use-session.ts';
import { SyncStatusChip } from '../../sync/status.tsx';
import { CheckBox } from '../../ui/check-box.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlatformText } from '../../ui/platform-text.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { filterRows, paginate, searchTexts } from '../../ui/table/rows.ts';
import { appReadings, getAppRows } from './app-rows.ts';
import styles from './sync-dashboards.module.css';
import { usePickableIntegrations } from './use-dashboards.ts';

const pageSize = 5;

/**
 * The apps of a dashboard, sorted by name: the picked ones or, while picking, all available ones.
 */
export function AppPicker(props: {
  picked: readonly string[];
  isPicking: boolean;
  onChange: (appIds: readonly string[]) => void;
}) {
  const { picked, isPicking, onChange } = props;
  const { session, apps } = useSession();
  const load = usePickableIntegrations(true);
  const [search, setSearch] = useState('');
  const [requestedPage, setRequestedPage] = useState(1);
  const pickedIds = useMemo(() => new Set(picked), [picked]);
  const rows = useMemo(() => load.data && getAppRows(load.data, picked, apps), [load.data, picked, apps]);
  const available = useMemo(
    () => rows?.filter(({ id }) => isPicking || pickedIds.has(id)),
    [rows, isPicking, pickedIds],
  );
  const found = useMemo(
    () => (available ? filterRows(available, searchTexts(available, appReadings), search) : []),
    [available, search],
  );
  const { page, pages, shown } = paginate(found, requestedPage, pageSize);
  const pickedCount = found.filter(({ id }) => pickedIds.has(id)).length;
  const setPicked = (ids: readonly string[], isPicked: boolean) => {
    const changedIds = new Set(ids);
    onChange(isPicked ? [...new Set([...picked, ...ids])] : picked.filter((id) => !changedIds.has(id)));
  };

  if (load.isError && !rows) return <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />;
  return (
    <section className="stack-s" aria-label="Apps">
      <div className={styles.pickerHead}>
        <TextInput
          type="search"
          aria-label="Search apps"
          placeholder="Search apps"
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            setRequestedPage(1);
          }}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
        />
        <span role="status">{formatPlural(picked.length, 'app')} picked</span>
      </div>
      <div className={styles.pickerRows}>
        {!available && <Skeleton height={200} />}
        {available && found.length === 0 && (
          <Empty
            text={search === '' ? emptyText(isPicking, session.environment.baseUrl) : `Nothing matches “${search}”.`}
            {...(search !== '' && { onClear: () => setSearch('') })}
          />
        )}
        {found.length > 0 && (
          <table className="cells" aria-label="Apps" aria-busy={load.isFetching}>
            <thead>
              <tr>
                {isPicking && (
                  <th scope="col" className={styles.check}>
                    <CheckBox
                      aria-label={search === '' ? 'Pick all' : 'Pick all that match'}
                      checked={pickedCount === found.length}
                      isPartial={pickedCount > 0 && pickedCount < found.length}
                      onChange={(isChecked) =>
                        setPicked(
                          found.map(({ id }) => id),
                          isChecked,
                        )
                      }
                    />
                  </th>
                )}
                <th scope="col">Name</th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ id, appName, status }) => (
                <tr key={id} data-picked={(isPicking && pickedIds.has(id)) || undefined}>
                  {isPicking && (
                    <td className={styles.check}>
                      <CheckBox
                        id={`pick-${id}`}
                        checked={pickedIds.has(id)}
                        onChange={(isChecked) => setPicked([id], isChecked)}
                        aria-label={appName}
                      />
                    </td>
                  )}
                  <td>
                    {isPicking ? (
                      <label htmlFor={`pick-${id}`}>
                        <PlatformText text={appName} />
                      </label>
                    ) : (
                      <PlatformText text={appName} />
                    )}
                  </td>
                  <td>{status === null ? 'No integration' : <SyncStatusChip status={status} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {pages > 1 && (
        <nav className={styles.pages} aria-label="Pages of apps">
          <PageButton label="Previous page" off={page === 1} onClick={() => setRequestedPage(page - 1)} isBack />
          <span>
            {formatCount(page)} / {formatCount(pages)}
          </span>
          <PageButton label="Next page" off={page === pages} onClick={() => setRequestedPage(page + 1)} />
        </nav>
      )}
    </section>
  );
}

function emptyText(isPicking: boolean, baseUrl: string): string {
  return isPicking ? syncTexts.noIntegrations(baseUrl) : 'No apps are picked. Repick Apps shows all available apps.';
}

function PageButton(props: { label: string; off: boolean; isBack?: boolean; onClick: () => void }) {
  const Icon = props.isBack ? IconChevronLeft : IconChevronRight;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      aria-label={props.label}
      title={props.label}
      // Not `disabled`, which would drop the focus on the first or last page.
      aria-disabled={props.off}
      {...(props.off && { 'data-disabled': true })}
      onClick={() => !props.off && props.onClick()}
    >
      <Icon size={16} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
