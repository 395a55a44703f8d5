import { Button, Modal, TextInput } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { type Environment, getEnvironments, selectableEnvironments } from '@portal/contract/environments';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CallProblem } from '../api/call-problem.ts';
import { useCall } from '../api/use-call.ts';
import { describeSignInProblem } from '../session/session-store.ts';
import { signInAndSwitch, switchTo } from '../session/switch-environment.ts';
import { useSession } from '../session/use-session.ts';
import { ProblemNote } from '../ui/problem-note.tsx';
import { StatusChip } from '../ui/status-chip.tsx';
import styles from './environment-modal.module.css';

/**
 * Switches the environment. Where the browser has no session of the user, it asks for the password;
 * the session here is kept either way.
 */
export default function EnvironmentModal({ onClose }: { onClose: () => void }) {
  const { session } = useSession();
  const load = useCall(getEnvironments, undefined);
  const [target, setTarget] = useState<Environment | null>(null);
  const change = useMutation({
    mutationFn: async (environment: Environment) => {
      const isKept = session.keptEnvironments.includes(environment.name);
      if (!isKept || !(await switchTo(environment))) setTarget(environment);
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title="Switch environment"
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      <div className="stack">
        {load.isError && <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />}
        {change.isError && <ProblemNote problem={change.error} />}
        {target === null ? (
          <ul className={styles.list}>
            {selectableEnvironments(load.data ?? []).map((environment) => (
              <li key={environment.name}>
                <button
                  type="button"
                  className={styles.choice}
                  disabled={environment.name === session.environment.name || change.isPending}
                  onClick={() => change.mutate(environment)}
                >
                  {environment.name}
                  <State
                    isCurrent={environment.name === session.environment.name}
                    isKept={session.keptEnvironments.includes(environment.name)}
                  />
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <PasswordForm environment={target} onBack={() => setTarget(null)} />
        )}
      </div>
    </Modal>
  );
}

function State({ isCurrent, isKept }: { isCurrent: boolean; isKept: boolean }) {
  if (isCurrent) return <StatusChip tone="primary" label="You are here" />;
  return isKept ? <StatusChip tone="success" label="Signed in" /> : <span className="note">needs your password</span>;
}

function PasswordForm({ environment, onBack }: { environment: Environment; onBack: () => void }) {
  const { session } = useSession();
  const [password, setPassword] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // The dialog was open before.
  useEffect(() => field.current?.focus(), []);
  const attempt = useMutation({
    mutationFn: () => signInAndSwitch(environment, session.username, password),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!attempt.isPending && password !== '') attempt.mutate();
  };
  const { error } = attempt;
  return (
    <form onSubmit={submit} className="stack">
      <p>
        Sign in to <strong>{environment.name}</strong> as <strong>{session.username}</strong>. You stay signed in to{' '}
        {session.environment.name}, and can switch back.
      </p>
      <TextInput
        label="Password"
        type="password"
        autoComplete="current-password"
        maxLength={500}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={error && (error instanceof CallProblem ? describeSignInProblem(error) : error.message)}
        ref={field}
      />
      <div className="buttons">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button type="submit" loading={attempt.isPending} disabled={password === ''}>
          Sign in
        </Button>
      </div>
    </form>
  );
}
