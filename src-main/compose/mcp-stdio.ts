import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { runMcpStdio } from '../doors/stdio/run-mcp-stdio.js';
import { launchApp, runInstead } from '../process/launch-app.js';
import { HEADLESS, rootFlags } from './launch-flags.js';

export interface McpStdioStart {
  readonly dataDir: string;
  /** By its real name, and looked at; null when the flag was not given. */
  readonly workspace: string | null;
  /** Everything after the executable, as this process got it. */
  readonly argv: readonly string[];
  /** What comes first among the app's arguments in development: the app itself. Empty when packaged. */
  readonly appArgs: readonly string[];
}

/**
 * `--mcp-stdio`: joined here and not in compose.ts, since this process is not the app and should load none of it. Call it
 * before anything else of Electron is touched; exit with its code. It makes no window, takes no lock and needs no display.
 */
export async function serveMcpStdio({ dataDir, workspace, argv, appArgs }: McpStdioStart): Promise<number> {
  // Chromium looks for a display before it looks at us, and ends the process where there is none; only a flag prevents that.
  if (needsHeadless(argv)) return runInstead(process.execPath, [...argv, HEADLESS]);
  const output = protocolOnly();
  return runMcpStdio({
    dataDir,
    workspace,
    startApp: (path) =>
      launchApp(process.execPath, [
        ...appArgs,
        ...rootFlags(),
        '--workspace',
        path,
        '--data-dir',
        dataDir,
        '--gateway',
      ]),
    input: process.stdin,
    output,
    complain: (line) => void process.stderr.write(`${line}\n`),
  });
}

function needsHeadless(argv: readonly string[]): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasDisplay = (DISPLAY ?? '') !== '' || (WAYLAND_DISPLAY ?? '') !== '';
  return process.platform === 'linux' && !hasDisplay && !argv.some((arg) => arg.startsWith('--ozone-platform='));
}

/** Takes stdout for the protocol: whatever else this process says goes to stderr. */
function protocolOnly(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => void write(chunk, (error) => done(error ?? null)),
  });
  stdout.once('error', (error) => output.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console(stderr, stderr);
  return output;
}
