import { Modal } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { otherApps, type StatRow, type StatsContext, type StatsRange } from '@portal/contract/db-spy';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount } from '../../../format/numbers.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { StatementTrendSection } from '../trend/statement-trend.tsx';
import type { OpenStatement } from '../use-open-statement.ts';
import type { StatsTarget } from '../use-stats.ts';
import styles from './query-detail.module.css';
import { QueryFacts } from './query-facts.tsx';
import { QueryPlan } from './query-plan.tsx';
import { QueryText } from './query-text.tsx';

/**
 * The details of one statement. `rows` are the statements that Previous and Next step through, in
 * order.
 */
export function QueryDetail(props: {
  target: StatsTarget;
  range: StatsRange;
  rows: readonly StatRow[];
  opened: OpenStatement;
  context: StatsContext | undefined;
}) {
  const { rows, opened } = props;
  const at = rows.findIndex(({ id }) => id === opened.id);
  const row = rows[at];
  // Keeps the statement while the dialog closes.
  const [shown, setShown] = useState(row);
  if (row !== undefined && row !== shown) setShown(row);
  const planRefusal =
    shown?.id === otherApps.id ? 'Statements of other apps cannot be read.' : (props.context?.explainRefusal ?? null);
  const step = (Icon: typeof IconArrowLeft, label: string, to: StatRow | undefined, atEnd: string) => (
    <ExplainedButton
      variant="default"
      leftSection={<Icon size={15} stroke={1.6} aria-hidden />}
      reason={to === undefined ? atEnd : null}
      onClick={() => to && opened.open(to.id)}
    >
      {label}
    </ExplainedButton>
  );
  return (
    <Modal
      opened={row !== undefined}
      onClose={opened.close}
      title="Query Pattern Detail"
      size="min(960px, 100%)"
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {shown && (
        <div className="stack-l">
          <div className="row">
            <span className={styles.position} role="status">
              {at >= 0 && `${formatCount(at + 1)} of ${formatCount(rows.length)}`}
            </span>
            {step(IconArrowLeft, 'Previous', at > 0 ? rows[at - 1] : undefined, 'This is the first one.')}
            {step(IconArrowRight, 'Next', at >= 0 ? rows[at + 1] : undefined, 'This is the last one.')}
          </div>
          {shown.hasNoText ? (
            <p className="note">The server has discarded the text of this statement. Its numbers are complete.</p>
          ) : (
            <QueryText target={props.target} row={shown} />
          )}
          <QueryFacts row={shown} range={props.range} context={props.context} />
          <StatementTrendSection target={props.target} range={props.range} id={shown.id} />
          <QueryPlan key={shown.id} target={props.target} row={shown} refusal={planRefusal} />
        </div>
      )}
    </Modal>
  );
}
