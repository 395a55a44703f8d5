import type { App } from '@portal/contract/apps';
import { Fragment } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import type { Effect } from './effects.ts';

/** Confirms a change of apps: shows the environment and the effects before it is made. */
export function EffectModal(props: {
  apps: readonly App[];
  effect: Effect | null;
  opened: boolean;
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { session } = useSession();
  const { apps, effect, ...modal } = props;
  return (
    <ConfirmModal {...modal} title={effect?.title ?? ''} confirmLabel={effect?.confirmLabel ?? ''} danger>
      <p>
        {apps.map(({ id, name }, at) => (
          <Fragment key={id}>
            {at > 0 && ', '}
            <strong>
              <PlatformText text={name} />
            </strong>
          </Fragment>
        ))}{' '}
        in <strong>{session.environment.name}</strong>
      </p>
      {effect?.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmModal>
  );
}
