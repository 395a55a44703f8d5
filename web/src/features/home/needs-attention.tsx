import { IconCircleCheck } from '@tabler/icons-react';
import styles from './attention.module.css';
import { AttentionList } from './attention-list.tsx';
import { InlineProblem } from './inline-problem.tsx';
import { Section } from './section.tsx';
import { SectionLines } from './section-lines.tsx';
import type { AttentionLoad } from './use-attention.ts';

/** Lists what needs attention, except for today's deployments, which have their own section. */
export function NeedsAttention({ load }: { load: AttentionLoad }) {
  const items = load.data?.items.filter(({ kind }) => kind !== 'deployment');
  const isComplete = load.data?.problems.length === 0;
  return (
    <Section title="Needs attention">
      {load.isError && <InlineProblem text="What needs attention could not be loaded." load={load} />}
      {load.isPending && <SectionLines />}
      {items?.length === 0 && (
        <p className={styles.none}>
          <IconCircleCheck size={16} stroke={1.6} aria-hidden />
          {isComplete ? 'Nothing needs attention.' : 'Nothing else needs attention.'}
        </p>
      )}
      {items && items.length > 0 && <AttentionList items={items} />}
      {load.data?.problems.map((text) => (
        <InlineProblem key={text} text={text} load={load} />
      ))}
    </Section>
  );
}
