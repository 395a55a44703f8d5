import type { RateLimit } from './token-bucket.ts';

/** An object as the API accepts it in a batch: its fields next to its type and id. */
interface NewObject {
  readonly type: string;
  /** A lower-case UUID. */
  readonly id: string;
  readonly [field: string]: unknown;
}

/**
 * The definition of one app deployment. Settings changed at run time are reset at the next start;
 * objects and the data model persist.
 */
export interface DeploymentDefinition {
  /** 24 hexadecimal digits; also the user name for HTTP Basic. */
  readonly id: string;
  readonly password: string;
  /** Named tokens that are accepted instead of the password. */
  readonly tokens?: Readonly<Record<string, string>>;
  readonly schemaXml: string;
  /** The model of the app's users. Default: `user`. */
  readonly userModel?: string;
  /** "Multiple devices per user". Default: true. When false, the legacy enrollment applies. */
  readonly multiDevice?: boolean;
  /** The number of the first op-log entry, decimal, at most 2^63 - 1. Default: `1`. */
  readonly firstSequence?: string;
  /** Default: 20 calls per second with a burst of 100. */
  readonly rateLimit?: RateLimit | 'off';
  /** The objects at its first start, as if devices had created them. */
  readonly objects?: readonly NewObject[];
  /** The edits of its devices when the simulator is live. Default: none. */
  readonly activity?: { readonly editsPerMinute: number; readonly seed: number };
  readonly label?: string;
  readonly appLabel?: string;
  readonly environment?: string;
  readonly region?: string;
}
