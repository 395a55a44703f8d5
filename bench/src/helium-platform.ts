import { startHeliumSimulator } from '@portal/simulators/helium/simulator';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { benchUsers } from './bench-users.ts';
import { readChildArgument, serveParent } from './inside-child.ts';

/** A platform with inactive apps, so that nothing but the measured work happens. */
const { postgresUrl } = readChildArgument<{ postgresUrl: string }>();
const definition = { ...smallEnvironment, users: [...smallEnvironment.users, ...benchUsers] };
const simulator = await startHeliumSimulator({
  definition,
  postgres: { url: postgresUrl },
  namespace: 'bench',
  live: false,
});
serveParent({ url: simulator.baseUrl });
