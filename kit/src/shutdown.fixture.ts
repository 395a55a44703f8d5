import { shutDownInOrder } from './shutdown.ts';

// Tells its parent what happens; with "hang" its second step never ends, with "fail" it fails.
const [mood] = process.argv.slice(2);
const tell = (word: string) => process.connected && process.send?.(word);

shutDownInOrder({
  withinMs: mood === 'hang' ? 50 : 10_000,
  steps: [
    { name: 'first', run: () => process.stdout.write('first ') },
    {
      name: 'second',
      run: () => {
        process.stdout.write('second ');
        if (mood === 'fail') throw new Error('no');
        return mood === 'hang' ? new Promise(() => undefined) : new Promise(setImmediate);
      },
    },
    { name: 'third', run: () => process.stdout.write('third') },
  ],
});
process.on('message', () => undefined);
tell('up');
