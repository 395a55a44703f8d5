import { dirname } from 'node:path';
import { runSystem } from './system.ts';

// What `npm start` does, but for installing and building.
await runSystem({ root: dirname(import.meta.dirname) });
