import { acquireProcessLock } from './process-lock.ts';

// Takes the lock, says whether it got it, and lives until it is killed.
const [path = ''] = process.argv.slice(2);
process.send?.('heldBy' in acquireProcessLock(path) ? 'held' : 'taken');
process.on('message', () => undefined);
