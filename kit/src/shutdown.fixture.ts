import { registerShutdown } from './shutdown.ts';

// Reports to its parent. With "hang", its second step never ends; with "fail", it fails.
const [behavior] = process.argv.slice(2);
const send = (word: string) => process.connected && process.send?.(word);

registerShutdown({
  timeoutMs: behavior === 'hang' ? 50 : 10_000,
  steps: [
    { name: 'first', run: () => process.stdout.write('first ') },
    {
      name: 'second',
      run: () => {
        process.stdout.write('second ');
        if (behavior === 'fail') throw new Error('no');
        return behavior === 'hang' ? new Promise(() => undefined) : new Promise(setImmediate);
      },
    },
    { name: 'third', run: () => process.stdout.write('third') },
  ],
});
process.on('message', () => undefined);
send('up');
