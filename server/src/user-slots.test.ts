import { expect, it } from 'vitest';
import { createBusy } from './user-slots.ts';

it('a refused large request states whether the user or the others have too many of them', () => {
  expect(createBusy('own').message).toContain('You have too many large requests open');
  expect(createBusy('others').message).toContain('The portal is busy');
});
