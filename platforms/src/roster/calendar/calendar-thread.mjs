// Threads do not take over how their process reads TypeScript, so this one is told.
import { register } from 'tsx/esm/api';

register();
await import('./calendar-worker.ts');
