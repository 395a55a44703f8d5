import { type ComboboxItem, type ComboboxLikeRenderOptionInput, Select } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { syncTexts } from '@portal/contract/sync-texts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAddress } from '../../lib/use-address.ts';
import { useSession } from '../../session/use-session.ts';
import { useAppsOfSource } from '../../shared/use-apps-of-source.ts';
import { Empty } from '../../ui/empty.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { ConfigForm } from './config-form.tsx';
import { FormSection } from './fields/form-section.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import styles from './sync-form.module.css';
import { useTakenApps, useTemplate } from './use-sync-calls.ts';

/** Which app, first; then its template. The choice stands in the address. */
export function NewIntegration() {
  const { session } = useSession();
  const { baseUrl, dataSources } = session.environment;
  const [address, setAddress] = useAddress();
  const names = dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName);
  const dataSource =
    names.find((name) => name === address.source) ?? (names.length === 1 ? names[0] : undefined) ?? null;
  const { apps, note } = useAppsOfSource(dataSource);
  const taken = useTakenApps(true);
  useProblemPopup(syncTexts.title, taken);
  const free = taken.data ? apps.filter(({ id }) => !taken.data.has(id)) : [];
  const app = apps.find(({ id }) => id === address.app) ?? null;
  const isTaken = app !== null && taken.data?.has(app.id) === true;
  // What is filled in for it must outlive that somebody else creates one meanwhile.
  const [begunFor, setBegunFor] = useState<string | null>(null);
  const begun = app && dataSource !== null && taken.data ? `${app.id} ${dataSource}` : null;
  if (begun !== null && !isTaken && begun !== begunFor) setBegunFor(begun);
  const isOpen = begun !== null && (!isTaken || begun === begunFor);
  const isLoaded = dataSource !== null && note === null && taken.data !== undefined;
  const hasNone = names.length === 0 || (isLoaded && free.length === 0 && !isTaken);
  return (
    <>
      <FormSection title="App" note="Apps that have an integration already are left out.">
        <div className={styles.fields}>
          <Select
            label="Data source"
            description="Where the app's schema lies"
            placeholder="Choose a data source"
            data={names}
            value={dataSource}
            onChange={(source) => setAddress(({ app: _, ...rest }) => ({ ...rest, ...(source && { source }) }))}
            allowDeselect={false}
            searchable
            nothingFoundMessage="No such data source"
          />
          <AppSelect
            apps={isOpen && isTaken ? [...free, app] : free}
            app={isTaken && !isOpen ? null : app}
            placeholder={dataSource === null ? 'Choose a data source first' : isLoaded ? 'Choose an app' : 'Loading …'}
            onChange={(id) => setAddress((rest) => ({ ...rest, app: id }))}
          />
        </div>
        {note !== null && dataSource !== null && <p className={styles.quiet}>{note}</p>}
        {taken.isError && (
          <ProblemNote problem={taken.error} keptData={taken.data !== undefined} onRetry={() => void taken.refetch()} />
        )}
      </FormSection>
      {isTaken && !isOpen && (
        <Empty
          text={syncTexts.alreadyThere(app.id)}
          hint={
            <Link to="/sync/form/{-$appid}" params={{ appid: app.id }}>
              Edit it
            </Link>
          }
        />
      )}
      {hasNone && (
        <Empty
          text={syncTexts.noApps(baseUrl)}
          hint={apps.length > 0 ? `Each of the ${apps.length} apps of ${dataSource} has an integration.` : undefined}
        />
      )}
      {app && dataSource !== null && isOpen && (
        // The key: another app is another form.
        <FormOfTemplate key={begun} app={app} dataSource={dataSource} isTaken={isTaken} />
      )}
    </>
  );
}

function AppSelect(props: {
  apps: readonly App[];
  app: App | null;
  placeholder: string;
  onChange: (id: string) => void;
}) {
  const { apps, app, placeholder, onChange } = props;
  const byId = new Map(apps.map((one) => [one.id, one]));
  return (
    <Select
      label="App"
      description={app === null ? 'By its name or schema' : `Schema ${app.schemaName}`}
      placeholder={placeholder}
      data={apps.map(({ id, name }) => ({ value: id, label: name }))}
      value={app?.id ?? null}
      onChange={(id) => id !== null && onChange(id)}
      filter={({ options, search }) => {
        const wanted = search.trim().toLowerCase();
        return options.filter((option) => {
          const one = 'value' in option ? byId.get(String(option.value)) : undefined;
          return one && `${one.name} ${one.schemaName} ${one.id}`.toLowerCase().includes(wanted);
        });
      }}
      renderOption={({ option }: ComboboxLikeRenderOptionInput<ComboboxItem>) => (
        <span className={styles.option}>
          {option.label}
          <span className={styles.quiet}>{byId.get(option.value)?.schemaName}</span>
        </span>
      )}
      allowDeselect={false}
      searchable
      limit={100}
      nothingFoundMessage="No such app"
      disabled={apps.length === 0}
    />
  );
}

function FormOfTemplate({ app, dataSource, isTaken }: { app: App; dataSource: string; isTaken: boolean }) {
  const template = useTemplate(app.id, dataSource);
  useProblemPopup(syncTexts.title, template);
  if (template.data) {
    const origin = { app, dataSource, config: template.data, integration: null };
    return <ConfigForm origin={origin} isTaken={isTaken} />;
  }
  if (template.isError) return <ProblemNote problem={template.error} onRetry={() => void template.refetch()} />;
  return <FormSkeleton />;
}
