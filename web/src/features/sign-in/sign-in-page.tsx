import { signInTexts } from '@portal/contract/apps';
import { selectableEnvironments } from '@portal/contract/environments';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Footer } from '../../shell/footer.tsx';
import { TopBar } from '../../shell/top-bar.tsx';
import { EnvironmentChoice } from './environment-choice.tsx';
import styles from './sign-in-page.module.css';
import { useEnvironments } from './use-environments.ts';
import { useSignIn } from './use-sign-in.ts';

/** The sign-in page. Loads as little code as possible. */
export function SignInPage(props: {
  notice: string | null;
  /** Who may sign in again; '' if unknown. */
  username: string;
  onIntent: () => void;
}) {
  const { environments, problem, retry } = useEnvironments();
  const { chosen, choose, isLoading, error, invalidField, submit, requireEnvironment } = useSignIn(
    environments,
    props.notice,
  );
  const environment = useRef<HTMLInputElement>(null);
  const userName = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const [isPasswordShown, setIsPasswordShown] = useState(false);

  const areLoaded = environments !== null;
  const isChosen = chosen !== null;
  useEffect(() => {
    document.title = 'Sign in · Portal';
  }, []);

  // Starts at the first field that is empty. A user who types before that is known stays there. A
  // successful retry removes its button.
  useEffect(() => {
    if (!areLoaded || document.activeElement !== document.body) return;
    const first = [userName, password].find(({ current }) => current?.value === '') ?? password;
    (isChosen ? first : environment).current?.focus();
  }, [areLoaded, isChosen]);

  /** Enter submits nothing while the button is disabled. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || chosen !== null || environments === null) return;
    if (!(event.target instanceof HTMLInputElement) || event.target === environment.current) return;
    event.preventDefault();
    requireEnvironment();
    environment.current?.focus();
  };

  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const credentials = { userName: userName.current?.value ?? '', password: password.current?.value ?? '' };
    const field = await submit(credentials);
    if (field === 'userName') userName.current?.focus();
    if (field === 'password') {
      password.current?.focus();
      password.current?.select();
    }
  };

  const message = problem ?? error;
  return (
    <div className={styles.root}>
      <header>
        <TopBar badge="Not signed in" />
      </header>
      <main className={styles.main}>
        <form
          className={styles.card}
          onSubmit={onSubmit}
          onInput={props.onIntent}
          onKeyDown={onKeyDown}
          noValidate
          aria-labelledby="sign-in"
        >
          <h1 id="sign-in">Sign in</h1>
          {/* Replaced by the error, which is announced. */}
          <p
            id="sign-in-help"
            className={styles.help}
            data-error={message !== null}
            role={message === null ? undefined : 'alert'}
          >
            {message ?? signInTexts.help}
          </p>
          <label htmlFor="environment">Environment</label>
          <EnvironmentChoice
            id="environment"
            inputRef={environment}
            isInvalid={invalidField === 'environment'}
            environments={selectableEnvironments(environments ?? [])}
            chosen={chosen}
            onChoose={choose}
            disabled={environments === null}
          />
          <label htmlFor="username">Username</label>
          <input
            id="username"
            ref={userName}
            name="username"
            defaultValue={props.username}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={500}
            aria-invalid={invalidField === 'userName'}
            aria-describedby="sign-in-help"
          />
          <label htmlFor="password">Password</label>
          <div className={styles.password}>
            <input
              id="password"
              ref={password}
              name="password"
              type={isPasswordShown ? 'text' : 'password'}
              autoComplete="current-password"
              maxLength={500}
              aria-invalid={invalidField === 'password'}
              aria-describedby="sign-in-help"
            />
            <button type="button" aria-pressed={isPasswordShown} onClick={() => setIsPasswordShown(!isPasswordShown)}>
              {isPasswordShown ? 'Hide' : 'Show'}
              <span className={styles.visuallyHidden}> password</span>
            </button>
          </div>
          <button
            type="submit"
            className={styles.submit}
            disabled={chosen === null && !isLoading}
            aria-busy={isLoading}
          >
            {isLoading ? 'Logging in ...' : 'Sign In'}
          </button>
          {problem !== null && (
            <button type="button" className={styles.retry} onClick={retry}>
              Try again
            </button>
          )}
        </form>
      </main>
      <Footer />
    </div>
  );
}
