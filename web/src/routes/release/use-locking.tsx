import type { AppConfig } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import { isProduction } from '@portal/contract/environments';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { appChanges } from '../../apps/app-config.ts';
import { EffectModal } from '../../features/app-config/changes/effect-modal.tsx';
import { getLockedEffect } from '../../features/app-config/changes/effects.ts';
import { createLockedChange } from '../../features/app-config/changes/state-changes.ts';
import { useSession } from '../../session/use-session.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';

interface Target {
  readonly app: App;
  readonly config: AppConfig;
}

interface Locking {
  readonly targets: readonly Target[];
  readonly locked: boolean;
}

/**
 * Locks and unlocks apps, one after the other. Production asks for the same confirmation as the
 * configuration of an app.
 */
export function useLocking() {
  const { session } = useSession();
  const { name, baseUrl } = session.environment;
  // Keeps its value while the dialog closes.
  const [asked, setAsked] = useState<Locking>({ targets: [], locked: true });
  const [isOpen, setIsOpen] = useState(false);
  const change = useMutation({
    mutationFn: async ({ targets, locked }: Locking) => {
      const done: string[] = [];
      for (const { app, config } of targets) {
        const { send } = createLockedChange(config, locked).change;
        try {
          const text = await send({ baseUrl, appId: app.id, username: session.username });
          done.push(targets.length === 1 ? text : `${app.name}: ${text}`);
        } catch (problem) {
          showProblem(targets.length === 1 ? 'Error' : `Error: ${app.name}`, problem);
        }
      }
      if (done.length > 0) showSuccess('Success', done.join('\n'));
    },
    onSettled: () => setIsOpen(false),
    meta: { changes: appChanges },
  });
  return {
    isPending: change.isPending,
    setLocked(targets: readonly Target[], locked: boolean) {
      if (!isProduction(name)) return change.mutate({ targets, locked });
      setAsked({ targets, locked });
      setIsOpen(true);
    },
    dialog: (
      <EffectModal
        apps={asked.targets.map(({ app }) => app)}
        effect={getLockedEffect(asked.locked, asked.targets.length)}
        opened={isOpen}
        pending={change.isPending}
        onClose={() => setIsOpen(false)}
        onConfirm={() => change.mutate(asked)}
      />
    ),
  };
}
