import { z } from 'zod';

const address = z
  .url({ protocol: /^https?$/ })
  // Everybody who is signed in sees these addresses.
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must not hold a user name or password');

const jarAddress = address.refine((url) => url.includes('{version}'), 'does not say where the {version} goes');

const folder = 'https://repository.example.com/maven2/com/example/he-dev-client';

/** Where the releases of the developer client are. */
export const devClientConfig = z.strictObject({
  metadataUrl: address.meta({
    description: 'Address of its maven-metadata.xml in a Maven repository, which tells the newest release.',
    example: `${folder}/maven-metadata.xml`,
  }),
  clientUrl: jarAddress.meta({
    description: 'Address of the jar with a user interface; `{version}` in it stands for the version.',
    example: `${folder}/{version}/he-dev-client-{version}.jar`,
  }),
  noUiClientUrl: jarAddress.meta({
    description: 'Address of the jar without a user interface.',
    example: `${folder}/{version}/he-dev-client-{version}-no-ui.jar`,
  }),
  installCommand: z
    .string()
    .regex(/^[^\r\n]+$/, 'is one line')
    .meta({
      description: 'What people paste into a terminal to install it.',
      example: `curl -fsSLO ${folder}/{version}/he-dev-client-{version}-no-ui.jar`,
    }),
});
export type DevClientConfig = z.infer<typeof devClientConfig>;
