import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      // The journal is read on a thread of its own, which has its own entry.
      rollupOptions: { input: { index: 'src-main/index.ts', 'journal-reader': 'src-main/journal/reader-worker.ts' } },
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
    plugins: [react()],
    build: { outDir: 'out/renderer', minify: true, rollupOptions: { input: 'src-renderer/index.html' } },
  },
});
