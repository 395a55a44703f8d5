import type { CodeViewProps } from '../../../ui/code-view.tsx';
import { SqlView } from '../../../ui/sql-view.tsx';

/** Shows statements as one text to read and copy, or nothing if there are none. */
export function ActionList({
  actions,
  ...others
}: { actions: readonly string[] } & Pick<CodeViewProps, 'label' | 'theme'>) {
  return actions.length === 0 ? null : <SqlView sql={actions.join('\n')} maxHeight={300} {...others} />;
}
