import { startPostgres } from './launcher.ts';

// A process that owns a server and never stops it: tests kill it.
const [dataDir = ''] = process.argv.slice(2);
const server = await startPostgres({ dataDir, isFast: true });
process.send?.(server.url);
process.on('message', () => undefined);
