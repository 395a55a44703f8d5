import { expect, it } from 'vitest';
import { toSocketUrl } from './socket-url.ts';

it('opens sockets with TLS from a page with HTTPS, and without it from others', () => {
  expect(toSocketUrl('/sync/ws', 'https://portal.example.com').href).toBe('wss://portal.example.com/sync/ws');
  expect(toSocketUrl('/sync/ws', 'http://localhost:8080').href).toBe('ws://localhost:8080/sync/ws');
});
