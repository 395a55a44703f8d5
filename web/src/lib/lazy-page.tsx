import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, use } from 'react';
import { connection } from './connection.ts';

/**
 * A screen in a chunk of its own, for a route: fetched when the route is wanted, drawn at once when
 * it is there. Where the chunk cannot be fetched the screen throws, until the page is loaded anew
 * (the router's own lazy component would reload by itself, also while nobody answers).
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
        connection.lost();
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
