import type { App } from '@portal/contract/apps';
import { useSession } from '../../../session/use-session.ts';
import { ConfirmModal } from '../../../ui/confirm-modal.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import type { Effect } from './effects.ts';

/** Confirms a change: shows the environment and the effects before it is made. */
export function EffectModal(props: {
  app: App;
  effect: Effect | null;
  opened: boolean;
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { session } = useSession();
  const { app, effect, ...modal } = props;
  return (
    <ConfirmModal {...modal} title={effect?.title ?? ''} confirmLabel={effect?.confirmLabel ?? ''} danger>
      <p>
        <strong>
          <PlatformText text={app.name} />
        </strong>{' '}
        in <strong>{session.environment.name}</strong>
      </p>
      {effect?.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmModal>
  );
}
