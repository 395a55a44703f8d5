import type { RateLimit } from './token-bucket.ts';

/** An object as the API takes it in a batch: its fields beside its type and id. */
interface NewObject {
  readonly type: string;
  /** A lower-case UUID. */
  readonly id: string;
  readonly [field: string]: unknown;
}

/**
 * One app deployment. What is changed at run time, but for its objects and data model, is as
 * defined again at the next start.
 */
export interface DeploymentDefinition {
  /** 24 hexadecimal digits; also the user name of HTTP Basic. */
  readonly id: string;
  readonly password: string;
  /** Named tokens, which may call instead of the password. */
  readonly tokens?: Readonly<Record<string, string>>;
  readonly schemaXml: string;
  /** Which model holds the app's users; `user` when left out. */
  readonly userModel?: string;
  /** "Multiple devices per user"; true when left out. Without it the legacy enrolment is on. */
  readonly multiDevice?: boolean;
  /** Number of the first op-log entry, decimal, at most 2^63 - 1; `1` when left out. */
  readonly firstSequence?: string;
  /** 20 calls a second and 100 at once when left out. */
  readonly rateLimit?: RateLimit | 'off';
  /** What there is at its first start, as if devices had made it. */
  readonly objects?: readonly NewObject[];
  /** What its devices do when the simulator is live; nothing when left out. */
  readonly activity?: { readonly editsPerMinute: number; readonly seed: number };
  readonly label?: string;
  readonly appLabel?: string;
  readonly environment?: string;
  readonly region?: string;
}
