import { describe, expect, it } from 'vitest';
import { devClientConfig } from './dev-client.config.ts';

const folder = 'https://repository.example.com/maven2/he-dev-client';
const good = {
  metadataUrl: `${folder}/maven-metadata.xml`,
  clientUrl: `${folder}/{version}/client-{version}.jar`,
  noUiClientUrl: `${folder}/{version}/no-ui-{version}.jar`,
  installCommand: 'he-install {version}',
};

describe('developer client settings', () => {
  it('accepts valid settings, and keeps the address with credentials secret', () => {
    const metadataUrl = 'https://user:secret@repository.example.com/maven-metadata.xml';
    const { metadataUrl: parsed, ...rest } = devClientConfig.parse({ ...good, metadataUrl });
    expect({ ...rest, metadataUrl }).toEqual({ ...good, metadataUrl, storageHosts: [], preReleases: false });
    expect(parsed.reveal()).toBe(metadataUrl);
    expect(JSON.stringify(parsed)).not.toContain('secret');
  });

  it.each([
    ['metadataUrl', 'ftp://repository.example.com/maven-metadata.xml', 'Invalid URL'],
    ['clientUrl', 'https://user@repository.example.com/{version}.jar', 'must not contain a user name'],
    ['noUiClientUrl', `${folder}/client-2.14.0.jar`, 'must contain {version}'],
    ['installCommand', 'curl {version}\nrm -rf /', 'must be a single line'],
    ['installCommand', '', 'must be a single line'],
    ['storageHosts.0', 'https://storage.example.com', 'must be a host'],
  ])('rejects %s %j', (name, value, fault) => {
    const [setting = '', ...index] = name.split('.');
    const { error } = devClientConfig.safeParse({ ...good, [setting]: index.length > 0 ? [value] : value });
    expect(error?.issues).toMatchObject([
      { path: [setting, ...index.map(Number)], message: expect.stringContaining(fault) },
    ]);
  });
});
