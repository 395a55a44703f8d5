import * as contract from '@portal/contract/environments';
import type { Dependencies } from '../../dependencies.ts';
import { type RoutesOf, route } from '../../http/route.ts';

/** The contract's schema removes data source URLs from the response. */
export function environmentsRoutes({ environments }: Dependencies): RoutesOf<typeof contract> {
  return {
    getEnvironments: route(contract.getEnvironments, () => [...environments.all]),
  };
}
