import { IconToggleLeft, IconToggleRight } from '@tabler/icons-react';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import type { FunctionRow } from './function-rows.ts';
import { getQualifiedName } from './latest-results.ts';

/** Toggles one function; `pending` is the one currently being changed, 'unit:event'. */
export function ToggleButton(props: {
  row: FunctionRow;
  refusal: string | null;
  pending: string | null;
  onToggle: () => void;
}) {
  const { event } = props.row;
  const name = getQualifiedName(event);
  const isOn = event.state === 'Enabled';
  const Icon = isOn ? IconToggleRight : IconToggleLeft;
  return (
    <ExplainedButton
      size="compact-sm"
      variant="default"
      leftSection={<Icon size={15} stroke={1.6} aria-hidden />}
      aria-label={`Toggle ${name}`}
      hint={isOn ? 'Disables the function' : 'Enables the function'}
      reason={
        props.refusal ??
        (props.pending === null || props.pending === name ? null : 'Another function is being changed.')
      }
      loading={props.pending === name}
      onClick={props.onToggle}
    >
      Toggle
    </ExplainedButton>
  );
}
