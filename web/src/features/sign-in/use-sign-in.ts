import { type Credentials, findSignInError, signInTexts } from '@portal/contract/apps';
import { type Environment, selectableEnvironments } from '@portal/contract/environments';
import { useState } from 'react';
import { CallProblem } from '../../api/call-problem.ts';
import { describeSignInProblem, signIn } from '../../session/session-store.ts';
import { browserStorage } from '../../state/browser-storage.ts';

type Field = 'environment' | 'userName' | 'password';

/**
 * Manages the sign-in form. Preselects the environment last used in this browser, or the only one.
 */
export function useSignIn(environments: readonly Environment[] | null, notice: string | null) {
  const [baseUrl, setBaseUrl] = useState(() => browserStorage.get('environment'));
  const [isLoading, setIsLoading] = useState(false);
  const [error, setError] = useState(notice);
  const [invalidField, setInvalidField] = useState<Field | null>(null);
  const selectable = selectableEnvironments(environments ?? []);
  const only = selectable.length === 1 ? selectable[0] : undefined;
  const chosen = selectable.find((one) => one.baseUrl === baseUrl) ?? only ?? null;

  const fail = (text: string, field: Field | null): Field | null => {
    setError(text);
    setInvalidField(field);
    return field;
  };

  /** Returns the field to correct, or null. */
  const submit = async (credentials: Credentials): Promise<Field | null> => {
    if (chosen === null || isLoading) return null;
    const error = findSignInError(credentials);
    if (error !== null) return fail(error, error === signInTexts.userNameRequired ? 'userName' : 'password');
    setError(null);
    setInvalidField(null);
    setIsLoading(true);
    try {
      await signIn(credentials, chosen.baseUrl);
      browserStorage.set('environment', chosen.baseUrl);
      return null;
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error;
      return fail(describeSignInProblem(error), error.status === 401 ? 'password' : null);
    } finally {
      setIsLoading(false);
    }
  };

  const choose = (next: string) => {
    setBaseUrl(next);
    if (invalidField !== 'environment') return;
    setError(null);
    setInvalidField(null);
  };
  const requireEnvironment = () => fail(signInTexts.environmentRequired, 'environment');

  return { chosen, choose, isLoading, error, invalidField, submit, requireEnvironment };
}
