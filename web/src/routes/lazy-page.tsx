import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, use } from 'react';
import { connection } from '../api/connection.ts';

/**
 * Creates a lazily loaded page component for a route. Renders synchronously once its chunk is
 * loaded. Throws if the chunk cannot be loaded, until the page is reloaded. (The router's own lazy
 * component reloads automatically, even while the portal is unreachable.)
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): RouteComponent {
  let Loaded: ComponentType | undefined;
  let problem: unknown;
  let pending: Promise<void> | undefined;
  const preload = () => {
    pending ??= load().then(
      (module) => {
        Loaded = module[name];
      },
      (error: unknown) => {
        problem = error;
        connection.markLost();
      },
    );
    return pending;
  };
  const LazyPage = () => {
    if (problem !== undefined) throw problem;
    if (Loaded) return <Loaded />;
    use(preload());
    return null;
  };
  return Object.assign(LazyPage, { preload });
}
