import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take half a minute or more, slowest first. If one of them started last, a single
 * worker would stay busy while the others are idle. All other files are ordered by size.
 */
const slowest = [
  'e2e/src/sync-records',
  'e2e/src/accessible',
  'e2e/src/sync.test',
  'e2e/src/sync-form-concurrency',
  'e2e/src/start',
  'e2e/src/sync-recovery',
  'e2e/src/sync-find',
  'e2e/src/sync-dashboards',
  'e2e/src/db-spy',
  'e2e/src/app-config',
  'e2e/src/schema-access',
  'e2e/src/sync-form',
  'sync/src/engine/faults/processes/kill-each-step',
  'sync/src/engine/faults/restores/restores',
  'sync/src/engine/faults/processes/kill-loop',
  'sync/src/main',
  'system/src/run-system',
  'server/src/main',
];

/** Runs browser tests before all others, the slowest first. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize
      .map((file, place) => ({ file, isBrowser: file.project.name === 'e2e', rank: rankOf(file), place }))
      .sort((a, b) => Number(b.isBrowser) - Number(a.isBrowser) || a.rank - b.rank || a.place - b.place)
      .map(({ file }) => file);
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = slowest.findIndex((name) => moduleId.includes(`/${name}`));
  return rank < 0 ? slowest.length : rank;
}
