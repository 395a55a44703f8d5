import { type Environment, getEnvironments } from '@portal/contract/environments';
import { useCallback, useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { CallProblem } from '../../api/call-problem.ts';

/** Loads the environments; null until loaded. */
export function useEnvironments() {
  const [environments, setEnvironments] = useState<readonly Environment[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const load = useCallback(async (signal?: AbortSignal) => {
    try {
      setEnvironments(await call(getEnvironments, undefined, { signal }));
      setProblem(null);
    } catch (error) {
      if (!signal?.aborted) setProblem(`Error fetching environments: ${describeError(error)}`);
    }
  }, []);

  useEffect(() => {
    const controller = new AbortController();
    void load(controller.signal);
    return () => controller.abort();
  }, [load]);

  return { environments, problem, retry: () => void load() };
}

function describeError(error: unknown): string {
  if (!(error instanceof CallProblem)) return String(error);
  return error.kind === 'http' ? `${error.statusText} (${error.status})` : error.message;
}
