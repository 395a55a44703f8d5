import { startHeliumSimulator } from '@portal/platforms/helium/simulator';
import { smallEnvironment } from '@portal/platforms/helium/simulator/small-environment';
import { benchUsers } from './bench-users.ts';
import { childArgument, serveParent } from './inside-child.ts';

/** A platform whose apps do nothing by themselves, so that only what is measured happens. */
const { postgresUrl } = childArgument<{ postgresUrl: string }>();
const definition = { ...smallEnvironment, users: [...smallEnvironment.users, ...benchUsers] };
const simulator = await startHeliumSimulator({
  definition,
  postgres: { url: postgresUrl },
  namespace: 'bench',
  live: false,
});
serveParent({ url: simulator.baseUrl });
