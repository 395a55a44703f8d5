import type { ReactNode } from 'react';

/** A section of the guide; its id stands in addresses that lead to it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly Content: () => ReactNode;
}
