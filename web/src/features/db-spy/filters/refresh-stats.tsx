import { Button } from '@mantine/core';
import type { Endpoint } from '@portal/contract/endpoint';
import { IconRefresh } from '@tabler/icons-react';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { matchEndpoints } from '../../../api/use-call.ts';

/** Refetches the results of `endpoints`; shows a spinner while one of `slowest` is loading. */
export function RefreshStats(props: { endpoints: readonly Endpoint[]; slowest: readonly Endpoint[] }) {
  const { endpoints, slowest } = props;
  const client = useQueryClient();
  const isFetching = useIsFetching(matchEndpoints(slowest)) > 0;
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
      loading={isFetching}
      onClick={() => void client.invalidateQueries(matchEndpoints(endpoints))}
    >
      Refresh
    </Button>
  );
}
