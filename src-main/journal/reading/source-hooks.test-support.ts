import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

// A test that kills its child at each of many places starts it as often: most of that time went into compiling the same sources.
// Node keys what it keeps by their bytes, and does without where it may not write.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/gatehouse-tests', import.meta.url)));

// Lets plain Node run these sources in workers and child processes of tests: imports end in .js, the files in .ts.
registerHooks({
  resolve(specifier, context, next) {
    const fromSource = context.parentURL?.endsWith('.ts') === true && specifier.startsWith('.');
    return next(fromSource ? specifier.replace(/\.js$/u, '.ts') : specifier, context);
  },
});
