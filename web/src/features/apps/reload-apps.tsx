import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { reloadApps } from '../../session/change-session.ts';
import { showProblem } from '../../ui/popups.ts';

/** Reloads the apps list from the platform. The current list stays until the new one is loaded. */
export function ReloadApps() {
  const reload = useMutation({
    mutationFn: () => reloadApps({ fresh: true }),
    onError: (problem) => showProblem('Unable to reload the apps', problem),
  });
  return (
    <Button
      variant="default"
      loading={reload.isPending}
      leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden />}
      onClick={() => reload.mutate()}
    >
      Refresh
    </Button>
  );
}
