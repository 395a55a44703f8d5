import { CodeView, type CodeViewProps } from './code-view.tsx';

export function SqlView({
  sql,
  maxHeight = 320,
  ...others
}: { sql: string; maxHeight?: number } & Pick<CodeViewProps, 'label' | 'theme'>) {
  return <CodeView code={sql} language="sql" maxHeightPx={maxHeight} {...others} />;
}
