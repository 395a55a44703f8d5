import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { AppConfigPage } from '../features/app-config/app-config-page.tsx';

const AppSchemaAccess = lazy(async () => {
  const { AppSchemaAccess } = await import('../features/schema-access/form/app-schema-access.tsx');
  return { default: AppSchemaAccess };
});

/**
 * Combines the app configuration page with the schema-access tab, so that the two features stay
 * independent.
 */
export function AppConfigScreen() {
  return (
    <AppConfigPage
      schemaAccess={(app) => (
        <Suspense fallback={<Skeleton height={200} />}>
          <AppSchemaAccess app={app} />
        </Suspense>
      )}
    />
  );
}
