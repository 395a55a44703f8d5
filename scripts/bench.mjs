import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { requireChromium } from './chromium.mjs';
import { buildPage } from './page.mjs';
import { main, root, run, Sentence } from './run.mjs';
import { setUp } from './setup.mjs';

/** `npm run bench -- NAME …`: one measurement; what follows its name goes to it. */
await main(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  const source = join(root, 'bench', 'src', `${name}.ts`);
  if (!/^[a-z-]+$/.test(name) || !existsSync(source))
    throw new Sentence(`There is no measurement "${name}"; there are: ${known()}.`);
  await setUp();
  await buildPage();
  const env = { ...process.env, CHROMIUM: await requireChromium() };
  return run(process.execPath, ['--import', 'tsx', source, ...args], { env });
});

/** A measurement's file is named by one word; its parts have longer names or folders. */
function known() {
  const files = readdirSync(join(root, 'bench', 'src')).filter((file) => /^[a-z]+\.ts$/.test(file));
  return files.map((file) => file.replace('.ts', '')).join(', ');
}
