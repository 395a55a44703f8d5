import type { App } from '@portal/contract/apps';

/**
 * How far the user is: choosing an app, told that it has an integration already, or filling in the
 * form.
 */
export type Step =
  | { readonly name: 'choosing' }
  | { readonly name: 'taken'; readonly app: App }
  | { readonly name: 'filling'; readonly app: App; readonly dataSource: string; readonly isTaken: boolean };

/**
 * What is chosen now. `isTaken`: whether the app has an integration; null while that is not known.
 */
interface Choice {
  readonly app: App | null;
  readonly dataSource: string | null;
  readonly isTaken: boolean | null;
}

export const choosing: Step = { name: 'choosing' };

/**
 * Returns the step that follows. What is filled in for an app outlives that another user creates
 * its integration.
 */
export function nextStep(step: Step, { app, dataSource, isTaken }: Choice): Step {
  if (app === null || isTaken === null) return choosing;
  const isBegun = step.name === 'filling' && step.app.id === app.id && step.dataSource === dataSource;
  if (isTaken && !isBegun) return { name: 'taken', app };
  return dataSource === null ? choosing : { name: 'filling', app, dataSource, isTaken };
}
