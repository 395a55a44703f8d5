import type { App } from '@portal/contract/apps';
import { syncTexts } from '@portal/contract/sync/texts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../../ui/empty.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { ConfigForm } from './config-form.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { isNotFound, type useIntegration } from './use-sync-calls.ts';

/**
 * The form of an existing integration. If another user deletes the integration, the form keeps its
 * values and can create it again.
 */
export function EditIntegration({ app, load }: { app: App; load: ReturnType<typeof useIntegration> }) {
  const isDeleted = isNotFound(load);
  const [isRecreated, setIsRecreated] = useState(false);
  useProblemPopup(syncTexts.title, { data: load.data, error: isDeleted ? null : load.error });
  if (load.data) {
    const { dataSource, config } = load.data;
    const origin = {
      app,
      dataSource,
      config,
      integration: isDeleted && isRecreated ? null : load.data,
    };
    return (
      <>
        {load.isError && !isDeleted && (
          <ProblemNote title={syncTexts.title} problem={load.error} hasStaleData onRetry={() => void load.refetch()} />
        )}
        <ConfigForm origin={origin} {...(isDeleted && { onRecreate: () => setIsRecreated(true) })} />
      </>
    );
  }
  if (isDeleted)
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
