import { Button } from '@mantine/core';
import { Page } from '../ui/page.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';

/** A screen that broke, or whose files could not be fetched. The rest of the portal goes on. */
export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page
      crumbs={[{ label: 'Problem' }]}
      title="This screen could not be shown"
      lead="After an update of the portal, reloading the page fetches its new version."
      actions={
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload the page
        </Button>
      }
    >
      <ProblemNote problem={error} onRetry={reset} />
    </Page>
  );
}
