import { acquireProcessLock } from './process-lock.ts';

// Acquires the lock, reports whether it succeeded, and runs until it is killed.
const [path = ''] = process.argv.slice(2);
process.send?.('heldBy' in acquireProcessLock(path) ? 'held' : 'taken');
process.on('message', () => undefined);
