import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { ExplainedButton } from './explained-button.tsx';

export interface DownloadLinkProps extends Omit<ButtonProps, 'disabled'> {
  readonly children: ReactNode;
  readonly href: string;
  readonly fileName: string;
  /** Why the file cannot be downloaded; null if it can. Browsers do not show why one failed. */
  readonly reason: string | null;
  readonly 'aria-label'?: string;
}

/** A link to a file, or a button that explains why there is none. */
export function DownloadLink({ href, fileName, reason, ...rest }: DownloadLinkProps) {
  if (reason !== null) return <ExplainedButton variant="default" {...rest} reason={reason} onClick={() => undefined} />;
  return (
    <Button variant="default" {...rest} renderRoot={(props) => <a {...props} href={href} download={fileName} />} />
  );
}
