// Run by the runtime itself, as Node: leaves the built parts compiled, as the app's first start would.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [parts, compiled] = process.argv.slice(2);
enableCompileCache(compiled);
for (const name of readdirSync(parts)) {
  // Nothing of it may run here, and nothing does: it is compiled, and then can't be linked, since Electron's own parts are missing.
  await import(pathToFileURL(join(parts, name)).href).catch(() => undefined);
}
flushCompileCache();
