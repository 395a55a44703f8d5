import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { type QueryKey, useIsFetching, useQueryClient } from '@tanstack/react-query';

/**
 * Asks anew for everything under `queryKey` that is on the screen; busy while what is under
 * `busyKey` is under way.
 */
export function RefreshStats({ queryKey, busyKey = queryKey }: { queryKey: QueryKey; busyKey?: QueryKey }) {
  const client = useQueryClient();
  const isFetching = useIsFetching({ queryKey: busyKey }) > 0;
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
      loading={isFetching}
      onClick={() => void client.invalidateQueries({ queryKey })}
    >
      Refresh
    </Button>
  );
}
