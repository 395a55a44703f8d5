import type { RunHost } from '../../integration/run-host.ts';

/**
 * Wraps `publish` so that it passes figures on only when one of them differs from the last
 * published value. An idle run reports the same figures repeatedly, and every published figure is
 * stored.
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
