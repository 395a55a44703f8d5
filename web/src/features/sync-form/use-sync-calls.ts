import {
  getIntegration,
  getTemplate,
  getTemplateEnrollment,
  listIntegrations,
  testConnection,
} from '@portal/contract/sync';
import type { SyncConfig } from '@portal/contract/sync-config';
import type { EnrollmentType } from '@portal/contract/sync-enrollment';
import { syncTexts } from '@portal/contract/sync-texts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CallProblem } from '../../lib/call-problem.ts';
import { callSync } from '../../lib/call-sync.ts';
import { SyncRefusal, sendSyncSocketRequest } from '../../lib/sync-socket-request.ts';
import { invalidateAfter, matchEndpoints, useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { useSyncCall } from '../../shared/use-sync-call.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { getLabel } from './fields/field-labels.ts';

/**
 * What the form asks for has a version of its own: what other screens have seen, and an earlier
 * visit, must not be what this one is filled from.
 */
const formQueryOptions = { version: 'form', gcTime: 0 } as const;

/**
 * How an integration is now. Asked again when the page is looked at, so that another one's save
 * shows by itself.
 */
export function useIntegration(appId: string) {
  return useSyncCall(getIntegration, undefined, {
    ...formQueryOptions,
    params: { appId },
    refetchOnWindowFocus: 'always',
  });
}

/** Whether it is known that there is none, or none any more. */
export function isNotFound({ error }: Pick<ReturnType<typeof useIntegration>, 'error'>): boolean {
  return error instanceof CallProblem && error.status === 404;
}

/** The ids of the apps that have an integration. */
export function useTakenApps() {
  const environment = useSession().session.environment.name;
  return useSyncCall(
    listIntegrations,
    { environment },
    {
      ...formQueryOptions,
      select: (integrations) => new Set(integrations.map(({ id }) => id)),
      refetchOnWindowFocus: 'always',
    },
  );
}

export function useTemplate(appId: string, dataSource: string) {
  const environment = useSession().session.environment.name;
  return useCall(
    getTemplate,
    { environment, uuid: appId, dataSource, journeyUserMode: 'user' },
    {
      ...formQueryOptions,
      send: (endpoint, payload, options) =>
        callSync(environment, endpoint, payload, options).catch((error: unknown) => {
          throw withMessage(error, syncTexts.noTemplate);
        }),
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
}

export function useEnrollmentTemplate(
  appId: string,
  onTemplate: (template: SyncConfig['journeyToHeliumEnrollment']) => void,
) {
  const environment = useSession().session.environment.name;
  return useMutation({
    mutationFn: (journeyUserMode: EnrollmentType) =>
      callSync(environment, getTemplateEnrollment, { environment, uuid: appId, journeyUserMode }),
    onSuccess: onTemplate,
    onError: (problem) => showProblem(syncTexts.title, withMessage(problem, syncTexts.noEnrollmentTemplate)),
  });
}

export function useTestConnection() {
  const environment = useSession().session.environment.name;
  return useMutation({
    mutationFn: (config: SyncConfig) => callSync(environment, testConnection, { config }),
    onError: (problem) => showProblem(syncTexts.title, problem),
  });
}

/**
 * Sends the whole configuration. The popup says what has become of it; `onSaved` goes on from
 * there.
 */
export function useSave(
  appId: string,
  handlers: { onSaved(config: SyncConfig): void; onRefused(problem: unknown): void },
) {
  const environment = useSession().session.environment.name;
  const client = useQueryClient();
  return useMutation({
    mutationFn: (config: SyncConfig) =>
      sendSyncSocketRequest(environment, { type: 'MERGE', appId, config }).catch((error: unknown) => {
        throw withFieldLabels(error);
      }),
    onSuccess(text, config) {
      showSuccess(syncTexts.title, text);
      handlers.onSaved(config);
      // Whatever shows integrations elsewhere; the form, on its way out, would take its own save
      // for another user's.
      void invalidateAfter(client, ['MERGE'], 'none');
    },
    onError(problem) {
      showProblem(syncTexts.title, problem);
      handlers.onRefused(problem);
      // Somebody else's save may be the reason.
      void client.invalidateQueries(matchEndpoints([getIntegration, listIntegrations, getTemplate]));
    },
  });
}

/** The fields of a refusal by the names people see. */
function withFieldLabels(problem: unknown): unknown {
  if (!(problem instanceof SyncRefusal) || problem.problems.length === 0) return problem;
  const { problems } = problem;
  return new SyncRefusal(problems.map(({ field, reason }) => `${getLabel(field)}: ${reason}`).join('; '), problems);
}

function withMessage(problem: unknown, toMessage: (reason: string) => string): unknown {
  if (!(problem instanceof CallProblem)) return problem;
  const { status, statusText, kind, title, requestId, fields, body, message } = problem;
  return new CallProblem({ status, statusText, kind, title, requestId, fields, body, message: toMessage(message) });
}
