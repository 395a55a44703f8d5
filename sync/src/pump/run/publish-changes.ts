import type { RunHost } from '../../integration/run-host.ts';

/**
 * Passes figures on only when one of them differs from what was published last. At rest both loops
 * publish the same figures again and again, and everything published is stored.
 */
export function publishChanges(publish: RunHost['publish']): RunHost['publish'] {
  const published = new Map<string, unknown>();
  return (figures) => {
    const all = Object.entries(figures);
    if (all.every(([name, value]) => published.get(name) === value)) return;
    for (const [name, value] of all) published.set(name, value);
    publish(figures);
  };
}
