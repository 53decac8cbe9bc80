import { registerHooks } from 'node:module';

// Lets plain Node run these sources in workers and child processes of tests: imports end in .js, the files in .ts.
registerHooks({
  resolve(specifier, context, next) {
    const fromSource = context.parentURL?.endsWith('.ts') === true && specifier.startsWith('.');
    return next(fromSource ? specifier.replace(/\.js$/u, '.ts') : specifier, context);
  },
});
