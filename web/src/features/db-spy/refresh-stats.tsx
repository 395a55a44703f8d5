import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { type QueryKey, useIsFetching, useQueryClient } from '@tanstack/react-query';

/** Asks anew for everything under these keys that is on the screen. */
export function RefreshStats({ queryKeys }: { queryKeys: readonly QueryKey[] }) {
  const client = useQueryClient();
  const [first = []] = queryKeys;
  const isFetching = useIsFetching({ queryKey: first }) > 0;
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
      aria-busy={isFetching}
      onClick={() => {
        for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey });
      }}
    >
      Refresh
    </Button>
  );
}
