import { registerShutdown } from './shutdown.ts';

// Reports to its parent. With "hang", its second step never ends; with "limit", it has
// a limit as well; with "fail", it fails.
const [behavior] = process.argv.slice(2);
const send = (word: string) => process.connected && process.send?.(word);

registerShutdown({
  timeoutMs: behavior === 'hang' ? 50 : 10_000,
  steps: [
    { name: 'first', run: () => process.stdout.write('first ') },
    {
      name: 'second',
      ...(behavior === 'limit' && { limitMs: 50 }),
      run: () => {
        process.stdout.write('second ');
        if (behavior === 'fail') throw new Error('no');
        return behavior === 'calm' ? new Promise(setImmediate) : new Promise(() => undefined);
      },
    },
    { name: 'third', run: () => process.stdout.write('third') },
  ],
});
process.on('message', () => undefined);
send('up');
