import { expect, it } from 'vitest';
import { hasTakenEffect, type SignIn, toEnrollmentSignIn } from './sign-ins.ts';

const signedIn = (id: string, signedOutAt: string | null = null): SignIn => ({ id, isSignedIn: true, signedOutAt });
const signedOut = (id: string, signedOutAt = '12:00'): SignIn => ({ id, isSignedIn: false, signedOutAt });
const enrollment = (enrolled: boolean) => [
  toEnrollmentSignIn({
    enrolled,
    url: null,
    launcher_version: null,
    device_os: null,
    device_model: null,
    last_connected_at: null,
  }),
];

it.each<[boolean, string, readonly SignIn[], readonly SignIn[]]>([
  [false, 'nothing changes', [signedIn('a')], [signedIn('a')]],
  [true, 'the session is signed out', [signedIn('a')], [signedOut('a')]],
  [true, 'the session is signed in again', [signedIn('a')], [signedIn('a', '12:00')]],
  [true, 'it is signed in again after an earlier sign-out', [signedIn('a', '11:00')], [signedIn('a', '12:00')]],
  [true, 'the session is deleted', [signedIn('a')], []],
  [false, 'only one of two sessions is signed out', [signedIn('a'), signedIn('b')], [signedIn('a'), signedOut('b')]],
  [false, 'another device signs in', [signedIn('a')], [signedIn('a'), signedIn('b')]],
  [false, 'a user without sessions does nothing', [], []],
  [true, 'a user without sessions signs in', [], [signedIn('a')]],
  [true, 'a user without sessions of a deployment is not enrolled any more', enrollment(true), enrollment(false)],
  [false, 'such a user is still enrolled', enrollment(true), enrollment(true)],
  [false, 'sessions are shown only before or only after the call', [signedIn('a')], enrollment(false)],
])('returns %s when %s', (expected, _, before, now) => {
  expect(hasTakenEffect(before, now)).toBe(expected);
});
