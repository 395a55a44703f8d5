import { describe, expect, it } from 'vitest';
import { findSignInError } from './apps.ts';

describe('findSignInError', () => {
  it('reports a missing user name before a missing password', () => {
    expect(findSignInError({ userName: ' ', password: '' })).toBe('Please enter your Helium API username');
    expect(findSignInError({ userName: 'demo', password: '' })).toBe('Please enter your Helium API password');
    expect(findSignInError({ userName: 'demo', password: ' ' })).toBeNull();
  });
});
