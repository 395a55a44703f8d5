import { join } from 'node:path';
import { runSystem } from './run-system.ts';

// What `npm start` does, without installing and building.
await runSystem({ root: join(import.meta.dirname, '..', '..') });
