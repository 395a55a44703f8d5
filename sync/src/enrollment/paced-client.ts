import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import type { EnrollmentClient } from './enrollment-round.ts';

/** Limits enrollment calls to the rate that all calls of this process to a deployment share. */
export function createPacedClient(client: JourneyClient, rateLimiter: JourneyRateLimiter): EnrollmentClient {
  const paced =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      rateLimiter.run(client.baseUrl, () => call(...args));
  return {
    list: paced(client.list),
    get: paced(client.get),
    users: paced(client.users),
    user: paced(client.user),
    lockUser: paced(client.lockUser),
    unlockUser: paced(client.unlockUser),
    authenticationToken: paced(client.authenticationToken),
    reAuthenticate: paced(client.reAuthenticate),
    reEnroll: paced(client.reEnroll),
  };
}
