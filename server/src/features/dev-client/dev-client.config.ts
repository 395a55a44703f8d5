import { z } from 'zod';

const address = z
  .url({ protocol: /^https?$/ })
  // All signed-in users see these addresses.
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must not contain a user name or password');

const jarAddress = address.refine((url) => url.includes('{version}'), 'must contain {version}');

const folder = 'https://repository.example.com/maven2/com/example/he-dev-client';

/** Settings for developer client releases. */
export const devClientConfig = z.strictObject({
  metadataUrl: address.meta({
    description: 'URL of maven-metadata.xml in the Maven repository, which lists the latest release.',
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
  installCommand: z
    .string()
    .regex(/^[^\r\n]+$/, 'must be a single line')
    .meta({
      description: 'Install command that users paste into a terminal.',
      example: `curl -fsSLO ${folder}/{version}/he-dev-client-{version}-no-ui.jar`,
    }),
});
export type DevClientConfig = z.infer<typeof devClientConfig>;
