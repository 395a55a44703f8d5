import { useMutation } from '@tanstack/react-query';
import { useSession } from '../../session/use-session.ts';
import { integrationChanges } from '../../sync/use-sync-call.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

export function useEnvironmentName(): string {
  return useSession().session.environment.name;
}

/** Runs an action on integrations, reports the outcome in a popup and refreshes what is shown. */
export function useIntegrationAction<Input, Result>(
  title: string,
  run: (environment: string, input: Input) => Promise<Result>,
  describeSuccess: (result: Result, input: Input) => string,
) {
  const environment = useEnvironmentName();
  return useMutation({
    mutationFn: (input: Input) => run(environment, input),
    onSuccess: (result, input) => showSuccess(title, describeSuccess(result, input)),
    onError: (problem) => showProblem(title, problem),
    meta: { changes: integrationChanges },
  });
}
