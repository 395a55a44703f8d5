import { describe, expect, it } from 'vitest';
import { findSignInError } from './apps.ts';

describe('findSignInFault', () => {
  it('asks for the user name first, then the password', () => {
    expect(findSignInError({ userName: ' ', password: '' })).toBe('Please enter your Helium API username');
    expect(findSignInError({ userName: 'demo', password: '' })).toBe('Please enter your Helium API password');
    expect(findSignInError({ userName: 'demo', password: ' ' })).toBeNull();
  });
});
