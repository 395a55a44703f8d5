import { useCallback } from 'react';
import { useAddress } from '../../lib/use-address.ts';

/**
 * What is chosen on the page, as it stands in its address: a link shows the same form. null: not
 * chosen.
 */
interface AccessChoices {
  readonly mode: 'migrate' | 'generate';
  readonly team: string | null;
  readonly source: string | null;
  readonly schema: string | null;
  /** Who has access now, rather than everybody who ever had. */
  readonly onlyNow: boolean;
  /** The grant whose receipt is open. */
  readonly grant: string | null;
}

export function readAccessChoices(address: Readonly<Record<string, string>>): AccessChoices {
  return {
    mode: address.mode === 'generate' ? 'generate' : 'migrate',
    team: address.team || null,
    source: address.source || null,
    schema: address.schema || null,
    onlyNow: address.access === 'now',
    grant: address.grant || null,
  };
}

/**
 * The address with what is chosen in it; what is as by default is left out, and what is not the
 * form's stays.
 */
export function writeAccessChoices(
  address: Readonly<Record<string, string>>,
  choices: AccessChoices,
): Record<string, string> {
  const {
    mode: _mode,
    team: _team,
    source: _source,
    schema: _schema,
    access: _access,
    grant: _grant,
    ...rest
  } = address;
  const { mode, team, source, schema, onlyNow, grant } = choices;
  return {
    ...rest,
    ...(mode === 'generate' && { mode }),
    ...(team && { team }),
    ...(source && { source }),
    ...(schema && { schema }),
    ...(onlyNow && { access: 'now' }),
    ...(grant && { grant }),
  };
}

export function useAccessChoices(): [AccessChoices, (next: Partial<AccessChoices>) => void] {
  const [address, changeAddress] = useAddress();
  const change = useCallback(
    (next: Partial<AccessChoices>) =>
      changeAddress((current) => writeAccessChoices(current, { ...readAccessChoices(current), ...next })),
    [changeAddress],
  );
  return [readAccessChoices(address), change];
}
