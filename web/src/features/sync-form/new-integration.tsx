import { Select } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { syncTexts } from '@portal/contract/sync-texts';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAddress } from '../../lib/use-address.ts';
import { useSession } from '../../session/use-session.ts';
import { useDataSourceApps } from '../../shared/use-data-source-apps.ts';
import { Empty } from '../../ui/empty.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { AppSelect } from './app-select.tsx';
import { ConfigForm } from './config-form.tsx';
import { FormSection } from './fields/form-section.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { getStep } from './new-integration-step.ts';
import styles from './sync-form.module.css';
import { useTakenApps, useTemplate } from './use-sync-calls.ts';

/** Which app, first; then its template. The choice stands in the address. */
export function NewIntegration() {
  const { names, dataSource, app, chooseSource, chooseApp } = useChoice();
  const { apps, note } = useDataSourceApps(dataSource);
  const taken = useTakenApps();
  useProblemPopup(syncTexts.title, taken);
  const chosen = apps.find(({ id }) => id === app) ?? null;
  const isTaken = chosen && taken.data ? taken.data.has(chosen.id) : null;
  const [openedForm, setOpenedForm] = useState<string | null>(null);
  const step = getStep({ app: chosen, dataSource, isTaken }, openedForm);
  const openForm = step.name === 'filling' ? step.form : null;
  useEffect(() => {
    // Another app that is taken, or none, keeps the form that was open: one may come back to it.
    if (openForm !== null) setOpenedForm(openForm);
  }, [openForm]);

  const free = taken.data ? apps.filter(({ id }) => !taken.data.has(id)) : [];
  const isLoaded = dataSource !== null && note === null && taken.data !== undefined;
  const loadText = isLoaded ? 'Choose an app' : 'Loading …';
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
            onChange={chooseSource}
            allowDeselect={false}
            searchable
            nothingFoundMessage="No such data source"
          />
          <AppSelect
            apps={step.name === 'filling' && step.isTaken ? [...free, step.app] : free}
            app={step.name === 'taken' ? null : chosen}
            placeholder={dataSource === null ? 'Choose a data source first' : loadText}
            onChange={chooseApp}
          />
        </div>
        {note !== null && dataSource !== null && <p className={styles.quiet}>{note}</p>}
        {taken.isError && (
          <ProblemNote
            problem={taken.error}
            hasStaleData={taken.data !== undefined}
            onRetry={() => void taken.refetch()}
          />
        )}
      </FormSection>
      {step.name === 'taken' && <TakenApp appId={step.app.id} />}
      {(names.length === 0 || (isLoaded && free.length === 0 && !isTaken)) && (
        <NoApps count={apps.length} dataSource={dataSource} />
      )}
      {step.name === 'filling' && (
        // The key: another app is another form.
        <TemplateForm key={step.form} app={step.app} dataSource={step.dataSource} isTaken={step.isTaken} />
      )}
    </>
  );
}

/**
 * The data source and the app in the address; where there is one data source only, it is chosen
 * already.
 */
function useChoice() {
  const { session } = useSession();
  const [address, setAddress] = useAddress();
  const names = session.environment.dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName);
  const [only, ...others] = names;
  const implied = others.length === 0 ? only : undefined;
  return {
    names,
    dataSource: names.find((name) => name === address.source) ?? implied ?? null,
    app: address.app,
    chooseSource: (source: string | null) =>
      setAddress(({ app: _, ...rest }) => ({ ...rest, ...(source && { source }) })),
    chooseApp: (id: string) => setAddress((rest) => ({ ...rest, app: id })),
  };
}

function TakenApp({ appId }: { appId: string }) {
  return (
    <Empty
      text={syncTexts.alreadyThere(appId)}
      hint={
        <Link to="/sync/form/{-$appid}" params={{ appid: appId }}>
          Edit it
        </Link>
      }
    />
  );
}

function NoApps({ count, dataSource }: { count: number; dataSource: string | null }) {
  const { baseUrl } = useSession().session.environment;
  return (
    <Empty
      text={syncTexts.noApps(baseUrl)}
      hint={count > 0 ? `Each of the ${count} apps of ${dataSource} has an integration.` : undefined}
    />
  );
}

function TemplateForm({ app, dataSource, isTaken }: { app: App; dataSource: string; isTaken: boolean }) {
  const template = useTemplate(app.id, dataSource);
  useProblemPopup(syncTexts.title, template);
  if (template.data) {
    const origin = { app, dataSource, config: template.data, integration: null };
    return <ConfigForm origin={origin} isTaken={isTaken} />;
  }
  if (template.isError) return <ProblemNote problem={template.error} onRetry={() => void template.refetch()} />;
  return <FormSkeleton />;
}
