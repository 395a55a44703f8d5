import { describe, expect, it } from 'vitest';
import { findSignInFault } from './apps.ts';

describe('findSignInFault', () => {
  it('asks for the user name first, then the password', () => {
    expect(findSignInFault({ userName: ' ', password: '' })).toBe('Please enter your Helium API username');
    expect(findSignInFault({ userName: 'demo', password: '' })).toBe('Please enter your Helium API password');
    expect(findSignInFault({ userName: 'demo', password: ' ' })).toBeNull();
  });
});
