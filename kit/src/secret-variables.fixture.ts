/** A program that keeps running, and reports what it received from the process that forked it. */

import { Secret } from './secret.ts';
import { receiveVariables, takeVariables } from './secret-variables.ts';

const { OWNER_URL = '' } = await receiveVariables();
const taken = takeVariables(process.env, new Secret(OWNER_URL));
process.send?.({ received: OWNER_URL, taken, left: JSON.stringify(process.env) });
setInterval(() => undefined, 60_000);
