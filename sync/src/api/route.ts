import type { Endpoint, ResponseOf } from '@portal/contract/endpoint';
import { type Exchange, serveEndpoint } from '@portal/edge/serve-endpoint';
import type { FastifyInstance } from 'fastify';
import { type Caller, readCaller } from './caller.ts';

/** Maximum size of what the server adds to a caller's body: the app and its data source. */
const factsBytes = 16 * 1024;
/** The fields in which it adds that. */
const factFields = ['app', 'dataSource'];

export type Call<E extends Endpoint> = Exchange<E> & {
  readonly caller: Caller;
  /** `appId` of the path or the input, '' when neither has one. */
  readonly appId: string;
};

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<ResponseOf<E>>;

/** Serves an endpoint of the contract under `/api`. */
export function route<E extends Endpoint>(app: FastifyInstance, endpoint: E, handler: Handler<E>): void {
  serveEndpoint(app, endpoint, {
    url: `/api${endpoint.path}`,
    async admit(request) {
      // Only the server gets here, whose token was checked before.
      request.maxBodyBytes = endpoint.cost.maxBodyBytes + factsBytes;
    },
    beyond: { body: factFields },
    handle: (exchange) => {
      const named: { readonly appId?: unknown } = { ...Object(exchange.input), ...exchange.params };
      return handler({ ...exchange, caller: readCaller(exchange.request), appId: String(named.appId ?? '') });
    },
  });
}
