import { Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import { useProblemPopup } from '../../../ui/use-problem-popup.ts';
import type { TeamNamesLoad } from '../use-schema-access.ts';

/** The teams of this environment; where there are none, what to do about it. */
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
        placeholder={load.isPending ? 'Loading …' : 'Choose a team'}
        data={[...teams]}
        value={props.team}
        onChange={props.onChange}
        searchable
        nothingFoundMessage="No such team"
        disabled={teams.length === 0}
        description="The database user of the team becomes the owner"
      />
      {hasNone && (
        <p className="note">
          No teams are configured for this environment. An administrator names them in the setting{' '}
          <code>environments[].teamUsers</code>.
        </p>
      )}
      {load.isError && (
        <ProblemNote problem={load.error} keptData={load.data !== undefined} onRetry={() => void load.refetch()} />
      )}
    </div>
  );
}
