import { Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import { ProblemNote } from '../../ui/problem-note.tsx';
import styles from './support-roster.module.css';
import type { useRosterTeams } from './use-roster.ts';

/** The select for a project. Without any projects, it explains what to do. */
export function ProjectSelect(props: {
  load: ReturnType<typeof useRosterTeams>;
  team: string | null;
  onChange: (team: string) => void;
}) {
  const { load, team } = props;
  const teams = load.data ?? [];
  return (
    <div className={styles.choice}>
      <Select
        label="Project"
        placeholder={load.isPending ? 'Loading …' : 'Select a Project'}
        data={[...teams]}
        value={team !== null && teams.includes(team) ? team : null}
        onChange={(chosen) => chosen !== null && props.onChange(chosen)}
        allowDeselect={false}
        searchable
        nothingFoundMessage="No such project"
        disabled={teams.length === 0}
      />
      {load.data?.length === 0 && (
        <p className="note">
          No support teams are configured. An administrator can add them to the setting <code>supportRoster</code>.
        </p>
      )}
      {load.error && (
        <ProblemNote problem={load.error} hasStaleData={load.data !== undefined} onRetry={() => void load.refetch()} />
      )}
    </div>
  );
}
