import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import type { EnrollmentClient } from './enrollment-round.ts';

/** Makes the calls of enrollment at the pace that all calls of this process to a host share. */
export function pacedClient(client: JourneyClient, pace: JourneyRateLimiter): EnrollmentClient {
  const paced =
    <Ask extends unknown[], Answer>(call: (...ask: Ask) => Promise<Answer>) =>
    (...ask: Ask): Promise<Answer> =>
      pace.run(client.baseUrl, () => call(...ask));
  return {
    list: paced(client.list),
    users: paced(client.users),
    user: paced(client.user),
    lockUser: paced(client.lockUser),
    unlockUser: paced(client.unlockUser),
    authenticationToken: paced(client.authenticationToken),
    reAuthenticate: paced(client.reAuthenticate),
    reEnroll: paced(client.reEnroll),
  };
}
