import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findJourneyAddressError,
  findNameErrors,
  findNameListError,
  findPasswordError,
  parseDeploymentId,
  parseNames,
} from './sync-config-rules.ts';

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_$]{0,8}$/);
const names = fc.uniqueArray(name, { selector: (one) => one.toLowerCase() });
/** Short, and of what such lists are made of, so that empty and equal names are common. */
const listText = fc.string({ unit: fc.constantFrom('a', 'A', 'b', '1', ',', ' ', '-'), maxLength: 8 });

describe('a list of names', () => {
  it('of different names is sound, and says them', () => {
    fc.assert(
      fc.property(names, (names) => {
        expect(findNameListError(names.join(','))).toBeNull();
        expect(parseNames(names.join(','))).toEqual(names);
      }),
    );
  });

  it('that the form lets pass is one in whose entries the service finds nothing', () => {
    fc.assert(
      fc.property(listText, (text) => {
        if (findNameListError(text) === null) expect(findNameErrors(parseNames(text))).toEqual([]);
        else if (!/\s/.test(text)) expect(findNameErrors(parseNames(text))).not.toEqual([]);
      }),
    );
  });

  it('with a name twice, in any case, is told where it is for the second time', () => {
    fc.assert(
      fc.property(names, fc.nat(), (names, pick) => {
        fc.pre(names.length > 0);
        const again = names[pick % names.length] ?? '';
        const faults = findNameErrors([...names, again.toUpperCase()]);
        expect(faults).toEqual([{ at: names.length, reason: `"${again.toUpperCase()}" is there twice` }]);
      }),
    );
  });
});

describe('the address of a deployment', () => {
  const hosts = fc.constantFrom('run-testing-us.journeyapps.com', '127.0.0.1:8080', 'RUN.example.com');
  const paths = fc.constantFrom('', '/', '/api/v4', '/api/v4/', '/api/v4/5f0000000000000000000001', '/api/v4/1/');

  it('is one with or without its id', () => {
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
  ])('is not %s', (address) => expect(findJourneyAddressError(address)).not.toBeNull());
});

it('reads the id of a deployment in its address', () => {
  const id = '5F0000000000000000000001';
  expect(parseDeploymentId(` https://run.journeyapps.com/api/v4/${id}/`)).toBe(id);
  expect(parseDeploymentId('https://run.journeyapps.com/api/v4/')).toBeNull();
});

describe('the stored password', () => {
  const stored = 'https://run.journeyapps.com/api/v4/1';

  it('never goes to another host unasked', () => {
    fc.assert(
      fc.property(fc.webUrl(), (address) => {
        const fault = findPasswordError({ sent: null, address, storedAddress: stored });
        expect(fault === null).toBe(new URL(address).origin === new URL(stored).origin);
        expect(findPasswordError({ sent: 'new', address, storedAddress: stored })).toBeNull();
      }),
    );
  });

  it('stays for another deployment of the same host, and is missing where there is none', () => {
    const address = 'https://RUN.journeyapps.com:443/api/v4/2';
    expect(findPasswordError({ sent: null, address, storedAddress: stored })).toBeNull();
    expect(findPasswordError({ sent: null, address, storedAddress: null })).toBe('is missing');
  });
});
