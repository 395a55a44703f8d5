import { startHeliumSimulator } from '@portal/platforms/helium/simulator';
import { SMALL_ENVIRONMENT } from '@portal/platforms/helium/simulator/small-environment';
import { benchUsers } from './bench-users.ts';
import { childArgument, serveParent } from './inside-child.ts';

/** A platform whose apps do nothing by themselves, so that only what is measured happens. */
const { postgresUrl } = childArgument<{ postgresUrl: string }>();
const definition = { ...SMALL_ENVIRONMENT, users: [...SMALL_ENVIRONMENT.users, ...benchUsers] };
const simulator = await startHeliumSimulator({
  definition,
  postgres: { url: postgresUrl },
  namespace: 'bench',
  live: false,
});
serveParent({ url: simulator.baseUrl });
