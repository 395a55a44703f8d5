import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount, formatPlural } from '../../lib/format.ts';
import styles from './attention.module.css';
import { AttentionItem } from './attention-item.tsx';
import { InlineProblem } from './inline-problem.tsx';
import { Section } from './section.tsx';
import { SectionLines } from './section-lines.tsx';
import type { AttentionLoad } from './use-attention.ts';

/** Further deployments are shown on request. */
const maxShown = 8;

/** The deployments of today in the environment's time zone. */
export function TodaysDeployments({ load }: { load: AttentionLoad }) {
  const [showsAll, setShowsAll] = useState(false);
  const items = load.data?.items.filter(({ kind }) => kind === 'deployment');
  const count = load.data?.counts.deployment ?? 0;
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
        <ul className="entries">
          {items.slice(0, showsAll ? items.length : maxShown).map((item) => (
            <AttentionItem key={item.route} item={item} />
          ))}
        </ul>
      )}
      {items && items.length > maxShown && (
        <button type="button" className="link-button" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer' : formatPlural(count - maxShown, 'more deployment')}
        </button>
      )}
      {items && showsAll && count > items.length && (
        <p className="note">
          The first {formatCount(items.length)} of {formatCount(count)} are listed.
        </p>
      )}
    </Section>
  );
}
