import { getTemplate, getTemplateEnrollment, type SyncConfig, testConnection } from '@portal/contract/sync/config';
import type { EnrollmentType } from '@portal/contract/sync/enrollment';
import { getIntegration, listIntegrations } from '@portal/contract/sync/integration';
import { syncTexts } from '@portal/contract/sync/texts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CallProblem } from '../../api/call-problem.ts';
import { invalidateAfter, matchEndpoints, useCall } from '../../api/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { callSync } from '../../sync/call-sync.ts';
import { describeConfigProblems } from '../../sync/field-labels.ts';
import { getListRefreshMs } from '../../sync/list-refresh.ts';
import { SyncRefusal, sendSyncSocketRequest } from '../../sync/socket-request.ts';
import { useSyncCall } from '../../sync/use-sync-call.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

/**
 * The form uses its own query version, so that it is never filled from data cached by other screens
 * or by an earlier visit.
 */
const formQueryOptions = { version: 'form', gcTime: 0 } as const;

const refreshMs = 5_000;

/**
 * Loads an integration and follows it while the form is open, so that another user's save appears.
 */
export function useIntegration(appId: string) {
  return useSyncCall(getIntegration, undefined, {
    ...formQueryOptions,
    params: { appId },
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => state.data !== undefined && !isNotFound(state) && refreshMs,
  });
}

/** Whether the service answered that there is no such integration. */
export function isNotFound({ error }: { readonly error: Error | null }): boolean {
  return error instanceof CallProblem && error.status === 404;
}

/** Loads the ids of the apps that have an integration, and follows them while the form is open. */
export function useTakenApps() {
  const environment = useSession().session.environment.name;
  return useSyncCall(
    listIntegrations,
    { environment },
    {
      ...formQueryOptions,
      select: (integrations) => new Set(integrations.map(({ id }) => id)),
      refetchInterval: ({ state: { data } }) =>
        data !== undefined && Math.max(refreshMs, getListRefreshMs(data.length)),
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

interface SaveHandlers {
  onSaved(config: SyncConfig): void;
  /** Returns whether the form shows each problem at its field. */
  onRefused(problem: unknown): boolean;
}

/**
 * Saves the whole configuration and reports the outcome in a popup, unless fields report it. The
 * handlers continue from there.
 */
export function useSave(appId: string, handlers: SaveHandlers) {
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
      // Refresh the other screens. The form is about to close and would mistake its own save for
      // another user's.
      void invalidateAfter(client, ['MERGE'], 'none');
    },
    onError(problem) {
      if (!handlers.onRefused(problem)) showProblem(syncTexts.title, problem);
      // The failure may be caused by another user's save.
      void client.invalidateQueries(matchEndpoints([getIntegration, listIntegrations, getTemplate]));
    },
  });
}

/** Replaces the field paths of a refusal with the labels users see. */
function withFieldLabels(problem: unknown): unknown {
  if (!(problem instanceof SyncRefusal) || problem.problems.length === 0) return problem;
  const { problems } = problem;
  return new SyncRefusal(describeConfigProblems(problems).join('; '), problems);
}

function withMessage(problem: unknown, toMessage: (reason: string) => string): unknown {
  if (!(problem instanceof CallProblem)) return problem;
  const { status, statusText, kind, title, requestId, fields, body, message } = problem;
  return new CallProblem({ status, statusText, kind, title, requestId, fields, body, message: toMessage(message) });
}
