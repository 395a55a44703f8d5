import fc from 'fast-check';

/**
 * Property tests check the same examples in every run, so that none fails by luck. `npm run soak`
 * checks others: it sets SEED.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SEED ?? 20_261_124) });
