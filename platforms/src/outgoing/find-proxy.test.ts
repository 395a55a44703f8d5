import { describe, expect, it } from 'vitest';
import { findProxy, listProxies, ProxyProblem } from './find-proxy.ts';

const both = { HTTPS_PROXY: 'http://secure.example:3128', HTTP_PROXY: 'http://plain.example' };

describe('proxy of a call', () => {
  it.each([
    ['https://a.example', 'secure.example:3128'],
    ['wss://a.example/log', 'secure.example:3128'],
    ['http://a.example', 'plain.example:80'],
    ['ws://a.example', 'plain.example:80'],
  ])('is by the protocol of %s: %s', (url, host) => expect(findProxy(url, both)?.host).toBe(host));

  it('is none where the variable of the protocol is not set', () => {
    expect(findProxy('https://a.example', { HTTP_PROXY: both.HTTP_PROXY })).toBeNull();
    expect(findProxy('http://a.example', { HTTPS_PROXY: both.HTTPS_PROXY, HTTP_PROXY: '' })).toBeNull();
  });

  it('may be set in both cases, and the lower one counts', () => {
    expect(findProxy('https://a.example', { https_proxy: 'low.example:1', HTTPS_PROXY: 'up.example:1' })?.host).toBe(
      'low.example:1',
    );
    expect(findProxy('https://a.example', { https_proxy: '', HTTPS_PROXY: 'up.example:1' })?.host).toBe('up.example:1');
    expect(findProxy('https://a.example', { ...both, no_proxy: 'a.example' })).toBeNull();
  });

  it.each([
    ['a.example', 'https://a.example', true],
    ['A.Example', 'https://a.example', true],
    ['a.example', 'https://sub.a.example', true],
    ['.a.example', 'https://sub.a.example', true],
    ['*.a.example', 'https://sub.a.example', true],
    ['a.example', 'https://ba.example', false],
    ['other.example, a.example', 'https://a.example', true],
    ['other.example a.example', 'https://a.example', true],
    ['a.example:8443', 'https://a.example:8443', true],
    ['a.example:8443', 'https://a.example', false],
    ['a.example:443', 'https://a.example', true],
    ['*', 'https://a.example', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['fd00::1', 'https://[fd00::1]', true],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443', true],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['', 'https://localhost', true],
    ['', 'https://app.localhost', true],
    ['', 'http://127.0.0.1:9', true],
    ['', 'http://[::1]:9', true],
    ['', 'https://127.0.0.1.example', false],
  ])('is not used with NO_PROXY %j for %s: %s', (NO_PROXY, url, isDirect) => {
    expect(findProxy(url, { ...both, NO_PROXY }) === null).toBe(isDirect);
  });

  it('has its credentials apart from its address', () => {
    const proxy = findProxy('https://a.example', { HTTPS_PROXY: 'https://user:p%40ss@proxy.example' });
    expect(proxy).toEqual({
      url: 'https://proxy.example/',
      host: 'proxy.example:443',
      authorization: `Basic ${btoa('user:p@ss')}`,
    });
  });

  it.each(['socks5://user:secret@proxy.example', 'ftp://user:secret@proxy.example', 'http://user:secret@'])(
    'is refused without its value when it is no address of an http or https proxy: %s',
    (HTTPS_PROXY) => {
      const read = () => listProxies({ HTTPS_PROXY });
      expect(read).toThrow(ProxyProblem);
      expect(read).toThrow(/^HTTPS_PROXY is not the address of an http or https proxy\.$/);
    },
  );
});
