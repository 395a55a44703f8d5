import { Skeleton } from '@mantine/core';

/** Placeholder lines while a section is loading. */
export function SectionLines() {
  return (
    <div className="entries" aria-busy="true">
      {[70, 55, 62].map((width) => (
        <div key={width}>
          <Skeleton height={12} width={`${width}%`} />
        </div>
      ))}
    </div>
  );
}
