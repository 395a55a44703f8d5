import type { App } from '@portal/contract/apps';
import { syncTexts } from '@portal/contract/sync-texts';
import { Link } from '@tanstack/react-router';
import { CallProblem } from '../../lib/call.ts';
import { Empty } from '../../ui/empty.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { ConfigForm } from './config-form.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import type { useIntegration } from './use-sync-calls.ts';

/** The form of what is stored. One that somebody deletes meanwhile stays in view, and its save is refused. */
export function EditIntegration({ app, load }: { app: App; load: ReturnType<typeof useIntegration> }) {
  const isGone = load.error instanceof CallProblem && load.error.status === 404;
  useProblemPopup(syncTexts.title, { data: load.data, error: isGone ? null : load.error });
  if (load.data) {
    const { integration, config } = load.data;
    return (
      <>
        {load.isError && <ProblemNote problem={load.error} keptData onRetry={() => void load.refetch()} />}
        <ConfigForm origin={{ app, dataSource: integration.dataSource, config, integration }} />
      </>
    );
  }
  if (isGone)
    return (
      <Empty
        text={`There is no integration for ${app.name}.`}
        hint={
          <Link to="/sync/form/{-$appid}" params={{ appid: undefined }}>
            Create one
          </Link>
        }
      />
    );
  if (load.isError) return <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />;
  return <FormSkeleton />;
}
