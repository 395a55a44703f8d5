import { IconCircleCheck, IconHourglass } from '@tabler/icons-react';
import { formatPlural } from '../../../format/numbers.ts';
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
  const { data, pending, isOutdated } = load;
  const items = data?.items.filter(({ kind }) => kind !== 'deployment');
  const oldest = data?.checks.oldest ?? null;
  return (
    <Section title="Needs attention" more={oldest !== null && <OldestCheck at={oldest} />}>
      {load.isError && <InlineProblem text="What needs attention could not be loaded." load={load} />}
      {load.isPending && <SectionLines />}
      {data && items?.length === 0 && (
        <NothingFound isCurrent={pending === 0 && !isOutdated} hasProblems={data.problems.length > 0} />
      )}
      {data && items && items.length > 0 && <AttentionList items={items} counts={data.counts} />}
      {data && pending > 0 && (
        <p className="note">
          {data.checks.missing > 0 ? 'Your apps are being read' : 'Your apps are being checked again'}:{' '}
          {formatPlural(pending, 'check')} left, two per app (its configuration and its functions). This list updates.
        </p>
      )}
      {data?.problems.map((text) => (
        <InlineProblem key={text} text={text} load={load} />
      ))}
    </Section>
  );
}

/** Results that are older than promised do not show that nothing needs attention. */
function NothingFound({ isCurrent, hasProblems }: { isCurrent: boolean; hasProblems: boolean }) {
  if (!isCurrent) {
    return (
      <p className={styles.none} data-pending>
        <IconHourglass size={16} stroke={1.6} aria-hidden />
        Still checking. Nothing that needs attention is known yet.
      </p>
    );
  }
  return (
    <p className={styles.none}>
      <IconCircleCheck size={16} stroke={1.6} aria-hidden />
      {hasProblems ? 'Nothing else needs attention.' : 'Nothing needs attention.'}
    </p>
  );
}
