import type { ReactNode } from 'react';

/** A section of the guide. Links to the section contain its id. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly Content: () => ReactNode;
}
