import { Link } from '@tanstack/react-router';
import styles from './attention/attention.module.css';
import { AttentionListItem } from './attention/attention-list-item.tsx';
import type { AttentionLoad } from './attention/use-attention.ts';
import { FirstItems } from './section/first-items.tsx';
import { InlineProblem } from './section/inline-problem.tsx';
import { Section } from './section/section.tsx';
import { SectionLines } from './section/section-lines.tsx';

const maxShown = 2;

/** The deployments of today in the environment's time zone. */
export function TodaysDeployments({ load }: { load: AttentionLoad }) {
  const items = load.data?.items.filter(({ kind }) => kind === 'deployment');
  return (
    <Section title="Deployments today" more={<Link to="/deployments">All deployments</Link>}>
      {load.isError && <InlineProblem text="Today’s deployments could not be loaded." load={load} />}
      {load.isPending && <SectionLines />}
      {items?.length === 0 && (
        <p className={styles.none}>
          {load.data?.problems.length === 0
            ? 'No deployments are scheduled today.'
            : 'No deployments found; some sources could not be checked.'}
        </p>
      )}
      {items && items.length > 0 && (
        <FirstItems items={items} max={maxShown} count={load.data?.counts.deployment ?? items.length} noun="deployment">
          {(shown) => (
            <ul className="entries">
              {shown.map((item) => (
                <AttentionListItem key={item.route} item={item} isInListOfToday />
              ))}
            </ul>
          )}
        </FirstItems>
      )}
    </Section>
  );
}
