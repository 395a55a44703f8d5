/**
 * The limit of a service's JavaScript heap in MiB, of which a service needs a tenth. Node lets a
 * heap grow the less between two collections of garbage the lower its limit: without one, to
 * several times what is in use.
 */
const maxHeapMb = 1024;

/**
 * The sync service's limit of the young generation in MiB. A page of a thousand records is in use
 * while several calls are awaited, and with Node's 16 each collection copies it.
 */
const maxSyncSemiSpaceMb = 64;

/**
 * Its lowest size. Node would shrink it to 1 MiB while a service rests, and then collect it every
 * two seconds.
 */
const minSyncSemiSpaceMb = 16;

/**
 * How long after a collection Node collects all garbage again to reduce its memory. With its
 * default of 8 seconds, a service at rest spends a fifth of its processor time on that.
 */
const memoryReducerDelayMs = 60_000;

const limited = `--max-old-space-size=${maxHeapMb}`;

/** Node's flags for the heaps of the services. */
export const heapFlags = {
  server: [limited],
  sync: [
    limited,
    `--min-semi-space-size=${minSyncSemiSpaceMb}`,
    `--max-semi-space-size=${maxSyncSemiSpaceMb}`,
    `--gc-memory-reducer-start-delay-ms=${memoryReducerDelayMs}`,
  ],
} as const;
