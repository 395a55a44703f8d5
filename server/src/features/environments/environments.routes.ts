import * as contract from '@portal/contract/environments';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';

/**
 * Serialised by the contract's schema, so where a data source is reached never leaves the server.
 */
export function environmentsRoutes({ environments }: Dependencies): RoutesOf<typeof contract> {
  return {
    getEnvironments: route(contract.getEnvironments, () => [...environments.all]),
  };
}
