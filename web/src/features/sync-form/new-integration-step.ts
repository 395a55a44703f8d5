import type { App } from '@portal/contract/apps';

/**
 * The step of the user: choosing an app, seeing that it already has an integration, or filling
 * in the form `form`.
 */
export type Step =
  | { readonly name: 'choosing' }
  | { readonly name: 'taken'; readonly app: App }
  | {
      readonly name: 'filling';
      readonly app: App;
      readonly dataSource: string;
      readonly isTaken: boolean;
      readonly form: string;
    };

/**
 * The current choice. `isTaken`: whether the app already has an integration; null while unknown.
 */
interface Choice {
  readonly app: App | null;
  readonly dataSource: string | null;
  readonly isTaken: boolean | null;
}

/**
 * Returns the step for a choice. `openedForm` is the last form opened for a free app. It stays open
 * if another user creates an integration for that app, so that no input is lost.
 */
export function getStep({ app, dataSource, isTaken }: Choice, openedForm: string | null): Step {
  if (app === null || isTaken === null) return { name: 'choosing' };
  const form = `${app.id} ${dataSource}`;
  if (isTaken && form !== openedForm) return { name: 'taken', app };
  return dataSource === null ? { name: 'choosing' } : { name: 'filling', app, dataSource, isTaken, form };
}
