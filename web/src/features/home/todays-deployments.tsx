import { Link } from '@tanstack/react-router';
import styles from './attention.module.css';
import { AttentionList } from './attention-list.tsx';
import { QuietProblem } from './quiet-problem.tsx';
import { Section } from './section.tsx';
import { SectionLines } from './section-lines.tsx';
import type { AttentionLoad } from './use-attention.ts';

/** What is scheduled today, by the clock of the environment. */
export function TodaysDeployments({ load }: { load: AttentionLoad }) {
  const items = load.data?.items.filter(({ kind }) => kind === 'deployment');
  return (
    <Section title="Deployments today" more={<Link to="/deployments">All deployments</Link>}>
      {load.isError && <QuietProblem text="Today’s deployments could not be looked at." load={load} />}
      {load.isPending && <SectionLines />}
      {items?.length === 0 && (
        <p className={styles.none}>
          {load.data?.problems.length === 0
            ? 'No deployment is scheduled today.'
            : 'No deployment is known of; not everything could be looked at.'}
        </p>
      )}
      {items && items.length > 0 && <AttentionList items={items} />}
    </Section>
  );
}
