import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { build } from 'vite';

/** The app in small as one file that Node runs; whoever asked for it removes it. */
export async function buildRunnerChild(entry = 'src-main/process/runner-child.test-support.ts'): Promise<string> {
  const name = `runner-child-${randomUUID()}.mjs`;
  await build({
    logLevel: 'error',
    configFile: false,
    build: {
      outDir: 'artifacts',
      emptyOutDir: false,
      target: 'node24',
      minify: false,
      ssr: entry,
      rollupOptions: { output: { entryFileNames: name } },
    },
  });
  return join('artifacts', name);
}
