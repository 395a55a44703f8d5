import { Progress } from '@mantine/core';
import '@mantine/core/styles/Progress.layer.css';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useShiftImport } from './use-shift-import.ts';

/** The progress of the team's import while it runs, and why it failed if it was recent. */
export function ImportProgress({ team }: { team: string }) {
  const job = useShiftImport(team);
  if (job?.state === 'failed') return <ProblemNote problem={`The last import failed. ${job.problem}`} />;
  if (job?.state !== 'running') return null;
  return (
    <div>
      <p>
        {job.username} is importing {formatPlural(job.total, 'shift')}: {formatCount(job.added)} added so far.
      </p>
      <Progress value={(job.added / job.total) * 100} aria-label="Import of shifts" />
    </div>
  );
}
