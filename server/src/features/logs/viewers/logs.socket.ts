import { createHmac, randomBytes } from 'node:crypto';
import { logSocket } from '@portal/contract/logs';
import type { FastifyInstance } from 'fastify';
import type { Enforcer } from '../../../access/enforcer.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type SocketCall, serveSocket } from '../../../http/socket.ts';
import type { Caller } from '../../../session/caller.ts';
import { AppLogs } from '../app-logs.ts';
import { defaultLogLimits, type LogLimits } from '../log-limits.ts';
import { createLogMetrics } from '../log-metrics.ts';
import { createAppLogSource } from '../upstream/app-log-source.ts';
import type { LogCredentials } from '../upstream/log-source.ts';
import { serveLogSession } from './log-session.ts';

/** Serves live logs at `WebSocket /portal-backend/ws/{appId}`, as the contract describes. */
export function logsFeature(
  app: FastifyInstance,
  dependencies: Dependencies & { readonly enforcer: Enforcer },
  limits: LogLimits = defaultLogLimits,
): void {
  const { callers, enforcer, sessions, appDatabases, registry } = dependencies;
  const streams = new AppLogs(limits.streams);
  const metrics = createLogMetrics(registry, streams);
  const hashKey = randomBytes(32);
  app.addHook('onClose', async () => streams.stop());

  const toLogCredentials = (caller: Caller): LogCredentials => {
    const { userName, password } = caller.credentials();
    const key = createHmac('sha256', hashKey)
      .update(JSON.stringify([userName, password]))
      .digest('base64');
    return { key, reveal: () => caller.credentials() };
  };

  const serve = (call: SocketCall): Promise<void> => {
    const { caller, params } = call;
    const { environment } = caller;
    const appId = params.appId ?? '';
    return serveLogSession({
      call,
      limits,
      metrics,
      credentials: toLogCredentials(caller),
      async authorize(hello) {
        callers.checkUser(caller, hello);
        callers.checkEnvironment(caller, hello);
        const { values } = await enforcer.authorize(caller, logSocket.rules.hello, { appId });
        return values.app;
      },
      getStream: (found) =>
        streams.getOrCreate(environment.name, found.id, () => ({
          source: createAppLogSource(environment, found, appDatabases),
          limits: { ...limits.stream, ring: { ...limits.stream.ring, bytes: streams.ringBytes } },
          messages: {
            connecting: `Connecting to Helium in ${environment.name}.`,
            reading: `Reading the last minutes of ${found.name}.`,
            streaming: `Streaming the log of ${found.name}.`,
          },
          onLines: metrics.received,
        })),
      onSessionEnd: (listener) => sessions.onEnd((sessionId) => sessionId === caller.sessionId && listener()),
    });
  };

  serveSocket(app, dependencies, logSocket.paths[0], serve);
}
