import { type Credentials, findSignInError, signInTexts } from '@portal/contract/apps';
import { type Environment, selectableEnvironments } from '@portal/contract/environments';
import { useState } from 'react';
import { CallProblem } from '../../lib/call-problem.ts';
import { remembered } from '../../lib/remembered.ts';
import { describeSignInProblem, signIn } from '../../session/session-store.ts';

type Field = 'userName' | 'password';

/** The form's state. The environment chosen last in this browser is chosen again. */
export function useSignIn(environments: readonly Environment[] | null, notice: string | null) {
  const [baseUrl, setBaseUrl] = useState(() => remembered.get('environment'));
  const [isLoading, setIsLoading] = useState(false);
  const [error, setError] = useState(notice);
  const [fields, setFields] = useState<Field | null>(null);
  const chosen = selectableEnvironments(environments ?? []).find((one) => one.baseUrl === baseUrl) ?? null;

  const fail = (text: string, field: Field | null): Field | null => {
    setError(text);
    setFields(field);
    return field;
  };

  /** The field to look at again, or null. */
  const submit = async (credentials: Credentials): Promise<Field | null> => {
    if (chosen === null || isLoading) return null;
    const fault = findSignInError(credentials);
    if (fault !== null) return fail(fault, fault === signInTexts.userNameRequired ? 'userName' : 'password');
    setError(null);
    setFields(null);
    setIsLoading(true);
    try {
      await signIn(credentials, chosen.baseUrl);
      remembered.set('environment', chosen.baseUrl);
      return null;
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error;
      return fail(describeSignInProblem(error), error.status === 401 ? 'password' : null);
    } finally {
      setIsLoading(false);
    }
  };

  return { chosen, choose: setBaseUrl, isLoading, error, fields, submit };
}
