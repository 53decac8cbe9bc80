import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PEERS = {
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-everything': '2026.8.31',
} as const;

/**
 * The official example servers, for comparison only, so that they are not among the project's dependencies: installed
 * once, at these versions, beside other results of benchmarks.
 */
export function peerScript(name: keyof typeof PEERS): string {
  const folder = resolve('artifacts', 'mcp-peers');
  const script = join(folder, 'node_modules', name, 'dist', 'index.js');
  if (!existsSync(script)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PEERS }));
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
      cwd: folder,
      stdio: 'ignore',
    });
  }
  return script;
}
