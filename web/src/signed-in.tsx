import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/mantine.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { createQueryClient } from './api/query-client.ts';
import { createPortalRouter } from './routes/routes.tsx';
import { userSettings } from './session/user-settings.ts';
import { cssVariables, theme } from './theme/theme.ts';
import { PopupList } from './ui/popup-list.tsx';
import { dismissAllPopups } from './ui/popups.ts';
import { TableStorage } from './ui/table/use-table-state.ts';

const tableStorage = {
  get: (name: string) => userSettings.get(`table.${name}`),
  set: (name: string, value: unknown) => userSettings.set(`table.${name}`, value),
};

/** The signed-in part of the app. Re-created for each session, so that no state carries over. */
export default function SignedIn() {
  const [queryClient] = useState(createQueryClient);
  const [router] = useState(createPortalRouter);
  useEffect(() => dismissAllPopups, []);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <TableStorage value={tableStorage}>
          <RouterProvider router={router} />
        </TableStorage>
        <PopupList />
      </QueryClientProvider>
    </MantineProvider>
  );
}
