import { startHeliumSimulator } from '@portal/platforms/helium/simulator';
import { SMALL_ENVIRONMENT } from '@portal/platforms/helium/simulator/small-environment';
import { childArgument, serveParent } from './inside-child.ts';

/** A platform whose apps do nothing by themselves, so that only what is measured happens. */
const { postgresUrl } = childArgument<{ postgresUrl: string }>();
const simulator = await startHeliumSimulator({
  definition: SMALL_ENVIRONMENT,
  postgres: { url: postgresUrl },
  namespace: 'bench',
  live: false,
});
serveParent({ url: simulator.baseUrl });
