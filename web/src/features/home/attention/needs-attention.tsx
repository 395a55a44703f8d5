import { IconCircleCheck } from '@tabler/icons-react';
import { formatPlural } from '../../../lib/format.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { InlineProblem } from '../section/inline-problem.tsx';
import { Section } from '../section/section.tsx';
import { SectionLines } from '../section/section-lines.tsx';
import styles from './attention.module.css';
import { AttentionList } from './attention-list.tsx';
import type { AttentionLoad } from './use-attention.ts';

/** Apps are read in the background, the one that was read longest ago first. */
function OldestCheck({ at }: { at: string }) {
  return (
    <span className="note">
      Oldest check <RelativeTime at={at} />
    </span>
  );
}

/** Lists what needs attention, except for today's deployments, which have their own section. */
export function NeedsAttention({ load }: { load: AttentionLoad }) {
  const items = load.data?.items.filter(({ kind }) => kind !== 'deployment');
  const missing = load.data?.checks.missing ?? 0;
  const oldest = load.data?.checks.oldest ?? null;
  const isComplete = load.data?.problems.length === 0 && missing === 0;
  return (
    <Section title="Needs attention" more={oldest !== null && <OldestCheck at={oldest} />}>
      {load.isError && <InlineProblem text="What needs attention could not be loaded." load={load} />}
      {load.isPending && <SectionLines />}
      {items?.length === 0 && (
        <p className={styles.none}>
          <IconCircleCheck size={16} stroke={1.6} aria-hidden />
          {isComplete ? 'Nothing needs attention.' : 'Nothing else needs attention.'}
        </p>
      )}
      {load.data && items && items.length > 0 && <AttentionList items={items} counts={load.data.counts} />}
      {missing > 0 && (
        <p className="note">
          Your apps are being read: {formatPlural(missing, 'check')} left, two per app (its configuration and its
          functions). This list updates.
        </p>
      )}
      {load.data?.problems.map((text) => (
        <InlineProblem key={text} text={text} load={load} />
      ))}
    </Section>
  );
}
