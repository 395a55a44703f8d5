import { SegmentedControl, Select, TextInput } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { generateSql } from '@portal/contract/schema-access';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { useSession } from '../../../session/use-session.ts';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { showProblem } from '../../../ui/popups.ts';
import styles from '../schema-access.module.css';
import { useAccessChoices } from '../schema-access-address.ts';
import type { useAccessDialogs } from '../use-access-dialogs.ts';
import { useAppSchemas, useTeamNames } from '../use-schema-access.ts';
import { SchemaSelect } from './schema-select.tsx';
import { TeamSelect } from './team-select.tsx';

const modes = [
  { value: 'migrate', label: 'Migrate' },
  { value: 'generate', label: 'Generate SQL' },
];

/** Selects the team and the schema, and whether to grant access or only to generate the SQL. */
export function AccessForm({ dialogs }: { dialogs: ReturnType<typeof useAccessDialogs> }) {
  const { session } = useSession();
  const { name: environment, dataSources } = session.environment;
  const [choices, change] = useAccessChoices();
  const { mode } = choices;

  // Ignores values of the address that do not exist.
  const teams = useTeamNames();
  const team = findKnown(choices.team, teams.data);
  const source = findKnown(
    choices.source,
    dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName),
  );
  const schemas = useAppSchemas(mode === 'migrate' ? source : null);
  const chosenSchema = findKnown(
    choices.schema,
    schemas.data?.map(({ schemaName }) => schemaName),
  );
  // The typed text belongs to the address it started from, and is written to the address on blur.
  const [schemaInput, setSchemaInput] = useState({ text: choices.schema ?? '', from: choices.schema });
  const enteredSchema = schemaInput.from === choices.schema ? schemaInput.text : (choices.schema ?? '');
  const schema = mode === 'migrate' ? chosenSchema : enteredSchema.trim() || null;

  const chosenApp = schemas.data?.find(({ schemaName }) => schemaName === chosenSchema);
  const refusal = useAppRefusal('schema-access.grant', ...(chosenApp ? [chosenApp.id] : []));

  const generate = useMutation({
    mutationFn: (input: { teamUser: string; schemaName: string }) => call(generateSql, { environment, ...input }),
    onSuccess: (generated, { teamUser, schemaName }) =>
      dialogs.show({ kind: 'generated', team: teamUser, schemaName, ...generated }),
    onError: (problem) => showProblem('Failed to generated SQL!', problem),
  });

  const missing = findMissing({ mode, team, source, schema });
  const commitSchema = () => change({ schema: enteredSchema.trim() || null });
  const submit = () => {
    if (team === null || schema === null) return;
    if (mode === 'generate') {
      commitSchema();
      generate.mutate({ teamUser: team, schemaName: schema });
    } else if (source !== null) dialogs.openGrant(team, { dataSource: source, schemaName: schema });
  };
  const clear = () => {
    setSchemaInput({ text: '', from: null });
    change({ team: null, source: null, schema: null });
  };

  return (
    <section className={styles.section} aria-labelledby="grant-schema-access">
      <h2 id="grant-schema-access">Grant Schema Access</h2>
      <div className="stack">
        <div className="stack-s">
          <SegmentedControl
            aria-label="Mode"
            data={modes}
            value={mode}
            onChange={(value) => change({ mode: value === 'generate' ? 'generate' : 'migrate' })}
          />
          <p className="note">
            {mode === 'migrate'
              ? 'You review the plan before anything runs.'
              : 'Nothing runs; you get the SQL to run yourself.'}
          </p>
        </div>
        <TeamSelect load={teams} team={team} onChange={(next) => change({ team: next })} />
        {mode === 'migrate' ? (
          <>
            <Select
              label="Data Source"
              description="Data source that holds the schema"
              placeholder="Select a data source"
              data={dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName)}
              value={source}
              onChange={(next) => change({ source: next, schema: null })}
              searchable
              nothingFoundMessage="No matches"
              disabled={dataSources.length === 0}
            />
            <SchemaSelect
              load={source === null ? null : schemas}
              schema={schema}
              onChange={(next) => change({ schema: next })}
            />
          </>
        ) : (
          <TextInput
            label="Schema Name"
            description="The name of the schema in the database"
            value={enteredSchema}
            onChange={(event) => setSchemaInput({ text: event.currentTarget.value, from: choices.schema })}
            onBlur={commitSchema}
            onKeyDown={(event) => event.key === 'Enter' && missing === null && submit()}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </div>
      <div className="wrap">
        <ExplainedButton
          variant="default"
          reason={team || source || schema ? null : 'Nothing is selected.'}
          onClick={clear}
        >
          Clear selection
        </ExplainedButton>
        {mode === 'migrate' ? (
          <ExplainedButton reason={refusal ?? missing} hint="Shows a preview first" onClick={submit}>
            Grant Access
          </ExplainedButton>
        ) : (
          <ExplainedButton reason={missing} loading={generate.isPending} onClick={submit}>
            Generate SQL
          </ExplainedButton>
        )}
      </div>
    </section>
  );
}

function findKnown(name: string | null, names: readonly string[] | undefined): string | null {
  return name !== null && names?.includes(name) ? name : null;
}

/** Returns what still needs to be selected, or null when the form is complete. */
function findMissing(chosen: {
  mode: 'migrate' | 'generate';
  team: string | null;
  source: string | null;
  schema: string | null;
}): string | null {
  if (chosen.team === null) return 'Select a team first.';
  if (chosen.mode === 'migrate' && chosen.source === null) return 'Select a data source first.';
  return chosen.schema === null ? 'Select a schema first.' : null;
}
