import { CodeView } from './code-view.tsx';

export function SqlView({ sql, label, maxHeight = 320 }: { sql: string; label: string; maxHeight?: number }) {
  return <CodeView code={sql} language="sql" label={label} maxHeightPx={maxHeight} />;
}
