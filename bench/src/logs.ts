import { printFigures } from './figures.ts';
import { measureThroughServer } from './logs-through-server.ts';
import { startSystem } from './system.ts';

const system = await startSystem();
try {
  printFigures('logs: lines per second through the server', await measureThroughServer(system));
} finally {
  await system.stop();
}
