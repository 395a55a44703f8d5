import type { Run } from '../../integration/run.ts';

/**
 * Passes on what of the figures is another than was said last. At rest both loops say the same again and again, and
 * whatever is said is written down.
 */
export function onlyNews(publish: Run['publish']): Run['publish'] {
  const said = new Map<string, unknown>();
  return (figures) => {
    const all = Object.entries(figures);
    if (all.every(([name, value]) => said.get(name) === value)) return;
    for (const [name, value] of all) said.set(name, value);
    publish(figures);
  };
}
