import { Select } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { syncTexts } from '@portal/contract/sync/texts';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { AppSelect } from '../../apps/app-select.tsx';
import { useAppSources } from '../../apps/use-app-sources.ts';
import { useSession } from '../../session/use-session.ts';
import { useAddress } from '../../state/use-address.ts';
import { Empty } from '../../ui/empty.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { ConfigForm } from './config-form.tsx';
import { FormSection } from './fields/form-section.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { getStep } from './new-integration-step.ts';
import styles from './sync-form.module.css';
import { useTakenApps, useTemplate } from './use-sync-calls.ts';

/** Asks for an app and then opens the form with its template. The choice is kept in the address. */
export function NewIntegration() {
  const { names, sources, dataSource, app, chooseSource, chooseApp } = useChoice();
  const { apps, note } = sources;
  const taken = useTakenApps();
  useProblemPopup(syncTexts.title, taken);
  const chosen = apps.find(({ id }) => id === app) ?? null;
  const isTaken = chosen && taken.data ? taken.data.has(chosen.id) : null;
  const [openedForm, setOpenedForm] = useState<string | null>(null);
  const step = getStep({ app: chosen, dataSource, isTaken }, openedForm);
  const openForm = step.name === 'filling' ? step.form : null;
  useEffect(() => {
    // Choosing a taken app or none keeps the opened form, because the user may come back to it.
    if (openForm !== null) setOpenedForm(openForm);
  }, [openForm]);

  const free = taken.data ? apps.filter(({ id }) => !taken.data.has(id)) : [];
  const offered = step.name === 'filling' && step.isTaken ? [...free, step.app] : free;
  const selected = step.name === 'taken' ? null : chosen;
  const isLoaded = note === null && taken.data !== undefined;
  return (
    <>
      <FormSection title="App" note="Apps that already have an integration are not listed.">
        <div className={styles.fields}>
          <Select
            label="Data source"
            description="The data source of the app's schema"
            placeholder="Any"
            data={names}
            value={dataSource}
            onChange={chooseSource}
            allowDeselect={false}
            clearable={names.length > 1}
            clearButtonProps={{ 'aria-label': 'Any data source' }}
            searchable
            nothingFoundMessage="No such data source"
          />
          <AppSelect
            label="App"
            description={selected === null ? 'Search by name, schema or id' : `Schema ${selected.schemaName}`}
            apps={offered}
            app={selected}
            placeholder={isLoaded || offered.length > 0 ? 'Choose an app' : 'Loading …'}
            getDetail={sources.describe}
            onChange={(next) => next && chooseApp(next.id)}
            disabled={offered.length === 0}
          />
        </div>
        {note !== null && <p className={styles.quiet}>{note}</p>}
        {step.name === 'choosing' && chosen !== null && dataSource === null && (
          <p role="status" className={styles.quiet}>
            {sources.isLoading
              ? 'Finding the data source of this app …'
              : 'The data source of this app is not known. Choose it above.'}
          </p>
        )}
        {taken.isError && (
          <ProblemNote
            title={syncTexts.title}
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
        // The key gives each app a form of its own.
        <TemplateForm key={step.form} app={step.app} dataSource={step.dataSource} isTaken={step.isTaken} />
      )}
    </>
  );
}

/**
 * Reads the choice from the address. The data source is the chosen one, that of the app, or the
 * only one.
 */
function useChoice() {
  const { session } = useSession();
  const [address, setAddress] = useAddress();
  const names = session.environment.dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName);
  const [only, ...others] = names;
  const chosenSource =
    names.find((name) => name === address.source) ?? (others.length === 0 ? only : undefined) ?? null;
  const sources = useAppSources(chosenSource);
  const foundSource = address.app === undefined ? null : sources.find(address.app);
  return {
    names,
    sources,
    dataSource: chosenSource ?? foundSource,
    app: address.app,
    /** The app stays only if its data source is not known otherwise. */
    chooseSource: (source: string | null) =>
      setAddress(({ app, source: _, ...rest }) => ({
        ...rest,
        ...(source && { source }),
        ...(app && source && foundSource === null && { app }),
      })),
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
      hint={
        count > 0
          ? `All ${count} apps${dataSource === null ? '' : ` in ${dataSource}`} already have an integration.`
          : undefined
      }
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
