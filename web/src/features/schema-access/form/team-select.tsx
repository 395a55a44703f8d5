import { Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { useProblemPopup } from '../../../ui/use-problem-popup.ts';
import type { TeamNamesLoad } from '../use-schema-access.ts';

/** Selects a team of this environment. Explains how to configure teams if there are none. */
export function TeamSelect(props: {
  load: TeamNamesLoad;
  team: string | null;
  onChange: (team: string | null) => void;
}) {
  const { load } = props;
  useProblemPopup('Unable to find team names', load);
  const teams = load.data ?? [];
  const hasNone = load.data?.length === 0;
  return (
    <div className="stack-s">
      <Select
        label="Team"
        placeholder={load.isPending ? 'Loading …' : 'Select a team'}
        data={[...teams]}
        value={props.team}
        onChange={props.onChange}
        searchable
        nothingFoundMessage="No matches"
        disabled={teams.length === 0}
        description="The team's database user becomes the owner"
      />
      {hasNone && (
        <p className="note">
          No teams are configured for this environment. An administrator can add them in the setting{' '}
          <code>environments[].teamUsers</code>.
        </p>
      )}
      {load.isError && (
        <ProblemNote problem={load.error} hasStaleData={load.data !== undefined} onRetry={() => void load.refetch()} />
      )}
    </div>
  );
}
