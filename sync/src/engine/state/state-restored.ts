import { Problem } from '@portal/kit/problems';

/** The engine's state was restored together with Helium's rows: the run starts again from it. */
export class StateRestored extends Problem {
  readonly status = 503;

  constructor() {
    super("Helium's database was restored while the integration was running. It continues from the restored state.");
  }
}
