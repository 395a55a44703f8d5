import { SegmentedControl, Select, TextInput } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { generateSql } from '@portal/contract/schema-access';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../lib/call.ts';
import { useRefusal, useSession } from '../../../session/use-session.ts';
import { ActButton } from '../../../ui/act-button.tsx';
import { showProblem } from '../../../ui/popups.ts';
import styles from '../schema-access.module.css';
import { useAccessChoices } from '../schema-access-address.ts';
import type { useAccessDesk } from '../use-access-desk.ts';
import { useAppSchemas, useTeamNames } from '../use-schema-access.ts';
import { SchemaSelect } from './schema-select.tsx';
import { TeamSelect } from './team-select.tsx';

const modes = [
  { value: 'migrate', label: 'Migrate' },
  { value: 'generate', label: 'Generate SQL' },
];

/** Which team, which schema, and whether it happens here or only as SQL. */
export function AccessForm({ desk }: { desk: ReturnType<typeof useAccessDesk> }) {
  const { session } = useSession();
  const { name: environment, dataSources } = session.environment;
  const refusal = useRefusal('schema-access.grant');
  const [choices, change] = useAccessChoices();
  const { mode } = choices;

  // What the address names and nobody has is not chosen.
  const teams = useTeamNames();
  const team = known(choices.team, teams.data);
  const source = known(
    choices.source,
    dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName),
  );
  const schemas = useAppSchemas(mode === 'migrate' ? source : null);
  const chosenSchema = known(
    choices.schema,
    schemas.data?.map(({ schemaName }) => schemaName),
  );
  // Typed text belongs to the address it began from; it reaches the address when the field is left.
  const [typed, setTyped] = useState({ text: choices.schema ?? '', from: choices.schema });
  const typedSchema = typed.from === choices.schema ? typed.text : (choices.schema ?? '');
  const schema = mode === 'migrate' ? chosenSchema : typedSchema.trim() || null;

  const generate = useMutation({
    mutationFn: (about: { teamUser: string; schemaName: string }) => call(generateSql, { environment, ...about }),
    onSuccess: ({ actions }, { teamUser, schemaName }) =>
      desk.show({ kind: 'generated', team: teamUser, schemaName, actions }),
    onError: (problem) => showProblem('Failed to generated SQL!', problem),
  });

  const obstacle = findObstacle({ mode, team, source, schema });
  const keepTyped = () => change({ schema: typedSchema.trim() || null });
  const submit = () => {
    if (team === null || schema === null) return;
    if (mode === 'generate') {
      keepTyped();
      generate.mutate({ teamUser: team, schemaName: schema });
    } else if (source !== null) desk.askToGrant(team, { dataSource: source, schemaName: schema });
  };
  const clear = () => {
    setTyped({ text: '', from: null });
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
              ? 'Happens here, once you have read what it would do.'
              : 'Happens nowhere: you get the SQL to run by hand.'}
          </p>
        </div>
        <TeamSelect load={teams} team={team} onChange={(next) => change({ team: next })} />
        {mode === 'migrate' ? (
          <>
            <Select
              label="Data Source"
              description="Where the schema lies"
              placeholder="Choose a data source"
              data={dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName)}
              value={source}
              onChange={(next) => change({ source: next, schema: null })}
              searchable
              nothingFoundMessage="No such data source"
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
            description="As it is named in the database"
            value={typedSchema}
            onChange={(event) => setTyped({ text: event.currentTarget.value, from: choices.schema })}
            onBlur={keepTyped}
            onKeyDown={(event) => event.key === 'Enter' && obstacle === null && submit()}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </div>
      <div className="wrap">
        <ActButton variant="default" reason={team || source || schema ? null : 'Nothing is chosen.'} onClick={clear}>
          Clear selection
        </ActButton>
        {mode === 'migrate' ? (
          <ActButton reason={refusal ?? obstacle} hint="Shows first what it would do" onClick={submit}>
            Grant Access
          </ActButton>
        ) : (
          <ActButton reason={obstacle} loading={generate.isPending} onClick={submit}>
            Generate SQL
          </ActButton>
        )}
      </div>
    </section>
  );
}

function known(name: string | null, names: readonly string[] | undefined): string | null {
  return name !== null && names?.includes(name) ? name : null;
}

/** What is still to be chosen, in words; null when all is. */
function findObstacle(chosen: {
  mode: 'migrate' | 'generate';
  team: string | null;
  source: string | null;
  schema: string | null;
}): string | null {
  if (chosen.team === null) return 'Choose a team first.';
  if (chosen.mode === 'migrate' && chosen.source === null) return 'Choose a data source first.';
  return chosen.schema === null ? 'Choose a schema first.' : null;
}
