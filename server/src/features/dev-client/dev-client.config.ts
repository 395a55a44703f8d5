import { secretWebAddress, webAddress } from '@portal/kit/web-address';
import { z } from 'zod';

/** All signed-in users see these addresses. */
const jarAddress = webAddress.refine((url) => url.includes('{version}'), 'must contain {version}');

const folder = 'https://repository.example.com/maven2/com/example/he-dev-client';

/** Settings for developer client releases. */
export const devClientConfig = z.strictObject({
  metadataUrl: secretWebAddress.meta({
    description:
      'URL of maven-metadata.xml in the Maven repository, which lists the latest release. A user name and password in it are sent to its host with HTTP Basic. Never shown.',
    example: `${folder}/maven-metadata.xml`,
  }),
  clientUrl: jarAddress.meta({
    description: 'URL of the jar with a user interface; `{version}` is replaced with the version.',
    example: `${folder}/{version}/he-dev-client-{version}.jar`,
  }),
  noUiClientUrl: jarAddress.meta({
    description: 'URL of the jar without a user interface.',
    example: `${folder}/{version}/he-dev-client-{version}-no-ui.jar`,
  }),
  storageHosts: z
    .array(z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/i, 'must be a host, without a protocol and a path'))
    .optional()
    .default([])
    .meta({
      description:
        'Hosts that the repository may redirect downloads to, such as a storage with signed addresses. They never receive the credentials.',
      example: ['storage.example.com'],
    }),
  preReleases: z
    .boolean()
    .optional()
    .default(false)
    .describe('Whether versions such as `3.0.0-alpha-1` are offered although there are releases.'),
  installCommand: z
    .string()
    .regex(/^[^\r\n]+$/, 'must be a single line')
    .meta({
      description: 'Install command that users paste into a terminal.',
      example: `curl -fsSLO ${folder}/{version}/he-dev-client-{version}-no-ui.jar`,
    }),
});
export type DevClientConfig = z.infer<typeof devClientConfig>;
