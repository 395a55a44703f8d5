/** What is checked before an integration is enabled, whichever action of a user enables it. */
import type { ConfigProblem } from '@portal/contract/sync/config';
import { maxEnabledAtOnce } from '@portal/contract/sync/integration';
import { describeFaults } from '@portal/kit/describe-faults';
import { Conflict } from '@portal/kit/problems';
import { Slots } from '@portal/kit/slots';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { requireEnvironment, type ServiceParts } from '../setup/service-parts.ts';
import type { Caller } from './caller.ts';
import { checkConfig } from './check-config.ts';
import { findObstacles } from './examine-target.ts';
import { InvalidFields } from './invalid-fields.ts';
import { toConnectionTarget } from './save-integration.ts';

type Parts = ServiceParts & { readonly operations: OperatorActions };

/** How long the check of one integration may take. */
const checkTimeoutMs = 40_000;

/** Limits how many integrations are checked at once, because each check opens connections. */
const checks = new Slots(maxEnabledAtOnce);

/** An integration that must not be enabled, with what the form shows about it. */
export class CannotRun extends Conflict {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(`It cannot run: ${describeFaults(problems)}`);
    this.problems = problems;
  }
}

/**
 * Makes the checks of a save for the stored configuration. Returns its warnings as a text; null
 * when there are none. Throws CannotRun, and Conflict when the check takes too long or a question
 * is open, because the integration would halt again at once.
 *
 * @param isAnswering whether the user answers the open question with the same call
 */
export function requireRunnable(
  parts: Parts,
  caller: Caller,
  stored: StoredIntegration,
  { isAnswering = false } = {},
): Promise<string | null> {
  return checks.run(caller.user, async () => {
    if (!isAnswering && (await hasOpenQuestion(parts.operations, stored)))
      throw new Conflict(
        'It needs a decision first. Open the integration and choose an answer, which also enables it.',
      );
    try {
      const { problems, warnings } = await check(parts, caller, stored);
      if (problems.length > 0) throw new CannotRun(problems);
      return warnings;
    } catch (error) {
      if (error instanceof InvalidFields) throw new CannotRun(error.problems);
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new Conflict(`It could not be checked within ${checkTimeoutMs / 1000} s. Try again later.`);
      throw error;
    }
  });
}

async function check(parts: Parts, caller: Caller, stored: StoredIntegration) {
  const { appId: id, appName: name, dataSource } = stored;
  const config = { ...stored.config, enabled: true };
  const app = { id, name, schemaName: config.helium.dbSchema };
  const request = { caller, app, dataSource, config };
  const environment = requireEnvironment(parts.config, caller.environment);
  const checked = checkConfig({ ...request, environment, stored });
  if (!('config' in checked)) return { problems: checked.problems, warnings: null };
  const target = await toConnectionTarget(parts, request, checked, stored);
  return findObstacles(parts, target, AbortSignal.timeout(checkTimeoutMs));
}

async function hasOpenQuestion(operations: OperatorActions, integration: StoredIntegration): Promise<boolean> {
  return integration.figures.needsDecision && (await operations.readQuestion(integration)) !== null;
}
