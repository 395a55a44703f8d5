import { Select } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/Combobox.layer.css';
import { useSession } from '../../../session/use-session.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { useProblemPopup } from '../../../ui/use-problem-popup.ts';
import { type DeploymentAppsLoad, useDeploymentTeams, useJiraProjects } from '../use-deployments.ts';
import { AppChoice } from './app-choice.tsx';
import type { DraftFields } from './draft.ts';
import styles from './wizard.module.css';

/** The first step: the data source, the team, the project and the apps. */
export function SelectionStep(props: {
  fields: DraftFields;
  apps: DeploymentAppsLoad;
  invalidField: keyof DraftFields | null;
  appName: (id: string) => string;
  onChange: (fields: Partial<DraftFields>) => void;
}) {
  const { fields, apps, invalidField, onChange } = props;
  const { session } = useSession();
  const teams = useDeploymentTeams();
  const projects = useJiraProjects(fields.team);
  useProblemPopup('Problem retrieving Teams.', teams);
  useProblemPopup('Problem retrieving JIRA Projects.', projects);
  useProblemPopup(`Problem retrieving ${session.product}.`, apps);
  const sources = session.environment.dataSources.map((source) => source.heliumDataSourceName);
  const projectOptions = (projects.data ?? []).map(({ key, name }) => ({ value: key, label: `${key}: ${name}` }));
  const isKnownProject = projectOptions.some(({ value }) => value === fields.jiraProject);
  return (
    <>
      <div className={styles.fields}>
        <Select
          label="Data Source"
          placeholder="Choose a data source"
          data={withSelected(sources, fields.dataSource)}
          value={fields.dataSource}
          onChange={(dataSource) => dataSource !== fields.dataSource && onChange({ dataSource, appIds: [] })}
          error={invalidField === 'dataSource'}
          required
          allowDeselect={false}
          searchable
          openOnFocus={false}
          nothingFoundMessage="No such data source"
          data-autofocus
        />
        <div className={styles.field}>
          <Select
            label="Developer Team"
            placeholder={teams.isPending ? 'Loading …' : 'Choose a team'}
            data={withSelected(teams.data ?? [], fields.team)}
            value={fields.team}
            onChange={(team) => team !== fields.team && onChange({ team, jiraProject: null })}
            error={invalidField === 'team'}
            required
            allowDeselect={false}
            searchable
            openOnFocus={false}
            nothingFoundMessage="No such team"
          />
          {teams.isError && (
            <ProblemNote title="Problem retrieving Teams." problem={teams.error} onRetry={() => void teams.refetch()} />
          )}
        </div>
        <div className={styles.field}>
          <Select
            label="JIRA Project"
            placeholder={
              fields.team === null
                ? 'Choose the team first'
                : projects.isPending
                  ? 'Loading …'
                  : projects.data?.length === 0
                    ? 'The team has no project'
                    : 'Choose a project'
            }
            data={
              isKnownProject || fields.jiraProject === null
                ? projectOptions
                : [...projectOptions, { value: fields.jiraProject, label: fields.jiraProject }]
            }
            value={fields.jiraProject}
            onChange={(jiraProject) => onChange({ jiraProject })}
            error={invalidField === 'jiraProject'}
            required
            disabled={fields.team === null}
            allowDeselect={false}
            searchable
            openOnFocus={false}
            nothingFoundMessage="No such project"
          />
          {projects.isError && (
            <ProblemNote
              title="Problem retrieving JIRA Projects."
              problem={projects.error}
              onRetry={() => void projects.refetch()}
            />
          )}
        </div>
      </div>
      <AppChoice
        load={fields.dataSource === null ? null : apps}
        chosen={fields.appIds}
        isInvalid={invalidField === 'appIds'}
        appName={props.appName}
        onChange={(appIds) => onChange({ appIds })}
      />
    </>
  );
}

/** Adds the chosen name to the options, since a saved choice may no longer be offered. */
function withSelected(names: readonly string[], chosen: string | null): string[] {
  return chosen === null || names.includes(chosen) ? [...names] : [...names, chosen];
}
