/** Describes why a PostgreSQL server and a client do not agree on TLS. */
import pg from 'pg';

/** Node.js's codes for certificates whose authority is not among the trusted ones. */
const unknownAuthority: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);

const sentences: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'shows a certificate that has expired, or whose authority has; renew it on the server',
  CERT_NOT_YET_VALID: 'shows a certificate that is not valid yet; check the clocks of both machines',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'requires a client certificate; name its files with sslcert= and sslkey= in the address',
};

/**
 * Returns what the server does and which setting helps, as the rest of a sentence that begins with
 * its name: `insists on TLS; add sslmode=verify-full to its address`. Returns undefined for any
 * other error.
 */
export function explainTlsFailure(error: unknown): string | undefined {
  if (error instanceof AggregateError) return explainTlsFailure(error.errors[0]);
  if (!(error instanceof Error)) return undefined;
  return error instanceof pg.DatabaseError ? explainRefusal(error) : explainHandshake(error);
}

/**
 * Returns whether no connection was made because of TLS. A certificate may be renewed on either
 * side without a change to the configuration.
 */
export function isTlsFailure(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) && explainTlsFailure(error) !== undefined;
}

/**
 * The server was asked in a way it accepts from other clients only. All errors of `28000`
 * otherwise name the user.
 */
function explainRefusal({ code, message }: pg.DatabaseError): string | undefined {
  if (code !== '28000') return undefined;
  if (/client certificate/i.test(message))
    return 'requires a client certificate; name its files with sslcert= and sslkey= in the address';
  if (/certificate authentication/i.test(message))
    return 'accepts the client certificate of sslcert= for another user only; its common name must be the user name';
  if (!message.includes('pg_hba.conf')) return undefined;
  // "SSL off" until PostgreSQL 13.
  if (/no encryption|SSL off/.test(message)) return 'insists on TLS; add sslmode=verify-full to its address';
  if (/SSL encryption|SSL on/.test(message))
    return 'accepts this user from here only without TLS, or not at all; change its pg_hba.conf, or set sslmode=disable in its address';
  return `does not accept this user from here (${message}); change its pg_hba.conf, or add sslmode=verify-full to its address`;
}

function explainHandshake(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : '';
  // OpenSSL's message has its file and line, too.
  const reason = 'reason' in error ? String(error.reason) : error.message;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return explainWrongName(error);
  if (unknownAuthority.has(code))
    return 'shows a certificate of an unknown authority; name the file of its authority with sslrootcert= in the address';
  const sentence = sentences[code];
  if (sentence !== undefined) return sentence;
  // Sent by the server once it has seen our certificate.
  if (/^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)/.test(code))
    return `rejects the client certificate of sslcert= (${reason}); name one that its ssl_ca_file trusts`;
  if (error.message === 'The server does not support SSL connections')
    return 'offers no TLS; switch it on there, or set sslmode=disable in its address';
  if (error.message === 'There was an error establishing an SSL connection')
    return 'did not answer the request for TLS as PostgreSQL does; check the host and port of its address';
  if (
    code.startsWith('ERR_SSL_') ||
    code.startsWith('ERR_OSSL_') ||
    (code === 'EPROTO' && /ssl|tls/i.test(error.message))
  )
    return `does not agree on TLS (${reason}); check the versions of TLS that both allow`;
  return undefined;
}

/** The error has the name that was asked for, and the certificate. */
function explainWrongName(error: Error): string {
  const host = 'host' in error ? String(error.host) : 'another name';
  const names = 'cert' in error ? readNames(error.cert) : [];
  const shown = names.length === 0 ? 'names no host' : `is for ${names.join(', ')}`;
  return `shows a certificate that ${shown}, and its address says ${host}; use a name of the certificate in the address, or set sslmode=verify-ca with sslrootcert=`;
}

function readNames(certificate: unknown): string[] {
  if (typeof certificate !== 'object' || certificate === null) return [];
  if ('subjectaltname' in certificate)
    return String(certificate.subjectaltname)
      .split(', ')
      .map((name) => name.replace(/^(DNS|IP Address):/, ''));
  const subject = 'subject' in certificate ? certificate.subject : undefined;
  return typeof subject === 'object' && subject !== null && 'CN' in subject ? [String(subject.CN)] : [];
}
