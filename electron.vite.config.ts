import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const BUNDLED = [
  '@decimalturn/toml-patch',
  '@huggingface/tokenizers',
  '@modelcontextprotocol/server',
  '@secretlint/secretlint-rule-preset-recommend',
  'ajv',
  'canonicalize',
  'chokidar',
  'cloudevents',
  'eventsource-parser',
  'picomatch',
  'smol-toml',
  'typebox',
];

/**
 * The form library's test helper asks for its ajv validator, which compiles schemas by evaluating text: the window's
 * policy forbids that, the window has a validator of its own, and nothing of the helper is in the bundle.
 */
const withoutAjvInTheWindow = {
  name: 'without-ajv-in-the-window',
  resolveId: (id: string) => (id === '@rjsf/validator-ajv8' ? `\0${id}` : null),
  load: (id: string) => (id === '\0@rjsf/validator-ajv8' ? 'export default undefined;' : null),
};

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      // What is plain JavaScript goes into the bundle: a start that reads three hundred small files is a slow one.
      externalizeDeps: { exclude: BUNDLED },
      // The journal and commands are read, and secrets looked for, on threads of their own, which have their own entries.
      rollupOptions: {
        input: {
          index: 'src-main/index.ts',
          'journal-reader': 'src-main/journal/reading/reader-worker.ts',
          'system-store': 'src-main/keys/system-store/store-process.ts',
          'sentence-model': 'src-main/platform/sentence-model/model-process.ts',
          'domain-check': 'src-main/app/domain/check-package.ts',
          'command-reader': 'src-main/tools/builtin/run-command/analysis/reader-thread.ts',
          // Loaded by its name where GATEHOUSE_TEST_TOOLS asks for it, and left out of packages.
          'mcp-test-tools': 'src-main/doors/mcp/conformance-tools.test-support.ts',
          redaction: 'src-main/platform/redaction/redaction-thread.ts',
        },
        // An app that was started before a build still finds its parts after it.
        // Half the text to read at every start; names are kept, for the log's stack traces.
        output: {
          chunkFileNames: 'chunks/[name].js',
          // One character above Latin-1 would make every character of a chunk take twice the space, and the time to read it.
          charset: 'ascii',
          minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  },
  preload: {
    resolve: { alias: { typebox: resolve('src-preload/without-schemas.ts') } },
    build: {
      outDir: 'out/preload',
      // A sandboxed preload can require nothing but electron, so everything else goes into its one CommonJS file.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: 'src-preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    plugins: [react(), withoutAjvInTheWindow],
    build: {
      outDir: 'out/renderer',
      minify: true,
      chunkSizeWarningLimit: 2000,
      rollupOptions: { input: 'src-renderer/index.html', output: { charset: 'ascii' } },
    },
  },
});
