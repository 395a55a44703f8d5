import { Skeleton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { useSession } from '../../../session/use-session.ts';
import { Empty } from '../../../ui/empty.tsx';
import { LongWords } from '../../../ui/long-words.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { filterRows, searchTexts } from '../../../ui/table/rows.ts';
import styles from '../deployments.module.css';
import type { DeploymentAppsLoad } from '../use-deployments.ts';
import wizardStyles from './wizard.module.css';

const readings = (['name', 'schemaName', 'fqdn', 'id'] as const).map((id) => ({
  id,
  value: (app: { name: string; schemaName: string; fqdn: string; id: string }) => app[id],
}));

/** The apps of a data source, with those selected for the release. */
export function AppChoice(props: {
  /** null while no data source is chosen */
  load: DeploymentAppsLoad | null;
  chosen: readonly string[];
  isInvalid: boolean;
  appName: (id: string) => string;
  onChange: (appIds: string[]) => void;
}) {
  const { load, chosen, onChange } = props;
  const { session } = useSession();
  const [search, setSearch] = useState('');
  const apps = load?.data;
  const texts = useMemo(() => searchTexts(apps ?? [], readings), [apps]);
  const found = useMemo(() => filterRows(apps ?? [], texts, search), [apps, texts, search]);
  const chosenIds = useMemo(() => new Set(chosen), [chosen]);
  const chosenCount = found.filter((app) => chosenIds.has(app.id)).length;
  const unavailable = apps && chosen.filter((id) => !apps.some((app) => app.id === id));

  const setChosen = (ids: readonly string[], isChosen: boolean) => {
    const changedIds = new Set(ids);
    onChange(isChosen ? [...new Set([...chosen, ...ids])] : chosen.filter((id) => !changedIds.has(id)));
  };

  if (load === null) return <p className={styles.quiet}>Choose a data source to see its apps.</p>;
  if (load.isError && !apps)
    return (
      <ProblemNote
        title={`Problem retrieving ${session.product}.`}
        problem={load.error}
        onRetry={() => void load.refetch()}
      />
    );
  return (
    <section className="stack-s" aria-label={session.product}>
      <div className={wizardStyles.appsHead}>
        <TextInput
          type="search"
          aria-label={`Search ${session.product}`}
          placeholder={`Search ${session.product}`}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
        />
        <span role="status">
          {formatCount(chosen.length)} of {apps ? formatPlural(apps.length, 'app') : '…'} selected
        </span>
      </div>
      {unavailable && unavailable.length > 0 && (
        <p className={styles.draftNote}>
          <span>No longer available here: {unavailable.map(props.appName).join(', ')}.</span>
          <button type="button" className="plain-link" onClick={() => setChosen(unavailable, false)}>
            Remove
          </button>
        </p>
      )}
      <div className={wizardStyles.appRows} data-invalid={props.isInvalid || undefined}>
        {!apps && <Skeleton height={160} />}
        {apps && found.length === 0 && (
          <Empty
            text={search === '' ? 'You have no apps in this data source.' : `Nothing matches “${search}”.`}
            {...(search !== '' && { onClear: () => setSearch('') })}
          />
        )}
        {found.length > 0 && (
          <table className="cells" aria-label="Apps" aria-busy={load.isFetching}>
            <thead>
              <tr>
                <th scope="col">
                  <label>
                    <input
                      type="checkbox"
                      aria-label="Select all"
                      aria-invalid={props.isInvalid || undefined}
                      checked={chosenCount === found.length}
                      ref={(box) => {
                        if (box) box.indeterminate = chosenCount > 0 && chosenCount < found.length;
                      }}
                      onChange={(event) =>
                        setChosen(
                          found.map((app) => app.id),
                          event.currentTarget.checked,
                        )
                      }
                    />
                    Name
                  </label>
                </th>
                <th scope="col">Schema</th>
              </tr>
            </thead>
            <tbody>
              {found.map((app) => (
                <tr key={app.id} data-chosen={chosenIds.has(app.id) || undefined}>
                  <td>
                    <label>
                      <input
                        type="checkbox"
                        checked={chosenIds.has(app.id)}
                        onChange={(event) => setChosen([app.id], event.currentTarget.checked)}
                      />
                      <PlatformText text={app.name} />
                    </label>
                  </td>
                  <td>
                    <LongWords text={app.schemaName} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  );
}
