export interface HeliumBlob {
  readonly bytes: Buffer;
  readonly fileName: string;
  readonly mediaType: string;
}
