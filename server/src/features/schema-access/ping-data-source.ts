import { pingSuccessful } from '@portal/contract/schema-access';
import { Problem } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';

const pingTimeoutMs = 5_000;

/**
 * Returns the specified text, or the reason for the failure. Takes at most five seconds, even if
 * the server hangs.
 */
export async function pingDataSource(database: HeliumDatabase): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`The data source ${database.name} did not respond in time.`), pingTimeoutMs);
  });
  const ping = database.query('select 1').then(
    () => pingSuccessful,
    (problem: unknown) => {
      if (problem instanceof Problem) return problem.message;
      throw problem;
    },
  );
  try {
    return await Promise.race([ping, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
