import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findJourneyAddressError,
  findNameErrors,
  findNameListError,
  findPasswordError,
  parseDeploymentId,
  parseNames,
} from './config-rules.ts';

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_$]{0,8}$/);
const names = fc.uniqueArray(name, { selector: (one) => one.toLowerCase() });
/** Short texts from few characters, so that empty and equal names are frequent. */
const listText = fc.string({ unit: fc.constantFrom('a', 'A', 'b', '1', ',', ' ', '-'), maxLength: 8 });

describe('list of names', () => {
  it('accepts distinct names and parses them back', () => {
    fc.assert(
      fc.property(names, (names) => {
        expect(findNameListError(names.join(','))).toBeNull();
        expect(parseNames(names.join(','))).toEqual(names);
      }),
    );
  });

  it('accepts in the form exactly the lists in which the service finds no error', () => {
    fc.assert(
      fc.property(listText, (text) => {
        if (findNameListError(text) === null) expect(findNameErrors(parseNames(text))).toEqual([]);
        else if (!/\s/.test(text)) expect(findNameErrors(parseNames(text))).not.toEqual([]);
      }),
    );
  });

  it('accepts a thousand names and no more', () => {
    const thousand = Array.from({ length: 1_000 }, (_, at) => `table_${at}`);
    expect(findNameListError(thousand.join(','))).toBeNull();
    expect(findNameListError([...thousand, 'one_more'].join(','))).toBe('must have at most 1000 names');
  });

  it('reports a repeated name in any case, at its second position', () => {
    fc.assert(
      fc.property(names, fc.nat(), (names, pick) => {
        fc.pre(names.length > 0);
        const duplicate = names[pick % names.length] ?? '';
        const errors = findNameErrors([...names, duplicate.toUpperCase()]);
        expect(errors).toEqual([{ at: names.length, reason: `"${duplicate.toUpperCase()}" is listed twice` }]);
      }),
    );
  });
});

describe('deployment address', () => {
  const hosts = fc.constantFrom('run-testing-us.journeyapps.com', '127.0.0.1:8080', 'RUN.example.com');
  const paths = fc.constantFrom('', '/', '/api/v4', '/api/v4/', '/api/v4/5f0000000000000000000001', '/api/v4/1/');

  it('accepts a deployment address with or without the deployment id', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), hosts, paths, (scheme, host, path) => {
        expect(findJourneyAddressError(`${scheme}://${host}${path}`)).toBeNull();
      }),
    );
  });

  it.each([
    'run.journeyapps.com',
    'ftp://run.journeyapps.com/api/v4/1',
    'https://run.journeyapps.com/api/v4/1 ',
    'https://run.journeyapps.com/api/v3/1',
    'https://run.journeyapps.com/api/v4/1/objects',
    'https://run.journeyapps.com/api/v4/1?a=b',
    'https://run.journeyapps.com/api/v4/../../admin',
    'https://me@run.journeyapps.com/api/v4/1',
    'https://:secret@run.journeyapps.com/api/v4/1',
  ])('rejects the deployment address %s', (address) => expect(findJourneyAddressError(address)).not.toBeNull());
});

it('parses the deployment id from its address', () => {
  const id = '5F0000000000000000000001';
  expect(parseDeploymentId(` https://run.journeyapps.com/api/v4/${id}/`)).toBe(id);
  expect(parseDeploymentId('https://run.journeyapps.com/api/v4/')).toBeNull();
});

describe('stored password', () => {
  const stored = 'https://run.journeyapps.com/api/v4/1';

  it('requires the password again when the address moves to another host', () => {
    fc.assert(
      fc.property(fc.webUrl(), (address) => {
        const error = findPasswordError({ sent: null, address, storedAddress: stored });
        expect(error === null).toBe(new URL(address).origin === new URL(stored).origin);
        expect(findPasswordError({ sent: 'new', address, storedAddress: stored })).toBeNull();
      }),
    );
  });

  it('keeps the stored password for another deployment on the same host, and reports a missing one', () => {
    const address = 'https://RUN.journeyapps.com:443/api/v4/2';
    expect(findPasswordError({ sent: null, address, storedAddress: stored })).toBeNull();
    expect(findPasswordError({ sent: null, address, storedAddress: null })).toBe('is missing');
  });
});
