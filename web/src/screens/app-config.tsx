import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { AppConfigPage } from '../features/app-config/app-config-page.tsx';

const AppSchemaAccess = lazy(async () => {
  const { AppSchemaAccess } = await import('../features/schema-access/form/app-schema-access.tsx');
  return { default: AppSchemaAccess };
});

/**
 * The configuration of an app with the tab that another feature fills; neither feature knows the
 * other.
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
