import type { App } from '@portal/contract/apps';

/**
 * How far the user is: choosing an app, told that it has an integration already, or filling in the
 * form `form`.
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
 * What is chosen now. `isTaken`: whether the app has an integration; null while that is not known.
 */
interface Choice {
  readonly app: App | null;
  readonly dataSource: string | null;
  readonly isTaken: boolean | null;
}

/**
 * Returns the step of a choice. `begunForm` is the form that was last open for a free app: what is
 * filled in there outlives that another user creates its integration.
 */
export function getStep({ app, dataSource, isTaken }: Choice, openedForm: string | null): Step {
  if (app === null || isTaken === null) return { name: 'choosing' };
  const form = `${app.id} ${dataSource}`;
  if (isTaken && form !== openedForm) return { name: 'taken', app };
  return dataSource === null ? { name: 'choosing' } : { name: 'filling', app, dataSource, isTaken, form };
}
