import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { runMcpStdio } from '../../doors/stdio/run-mcp-stdio.js';
import { StandInServer } from '../../doors/stdio/stand-in-server.js';
import { TEST_CALL_VARIABLE } from '../../domain/tool/test-call.js';
import { listDataPaths } from '../../platform/data-folder/paths.js';
import { PipeToolLists } from '../../platform/data-folder/pipe-lists.js';
import { hasDisplay, withDisplay } from '../../platform/data-folder/display-environment.js';
import { launchApp, type LaunchedApp } from '../../process/start/launch-app.js';
import { rootFlags } from './launch-flags.js';

export interface McpStdioStart {
  readonly dataDir: string;
  /** The folder by its real name, and checked; null when the flag was not given. */
  readonly workspace: string | null;
  /** The agent of this pipe; null for an unnamed one. */
  readonly agent: string | null;
  readonly version: string;
  /** The first of the app's arguments in development: the app itself. Empty when packaged. */
  readonly appArgs: readonly string[];
}

/**
 * `--mcp-stdio`: joined here and not in compose.ts, since this process is not the app and should load none of it. Call it
 * before anything else of Electron is touched; exit with its code. It makes no window, takes no lock and needs no display.
 */
export async function serveMcpStdio({ dataDir, workspace, agent, version, appArgs }: McpStdioStart): Promise<number> {
  const output = protocolOnly();
  return runMcpStdio({
    dataDir,
    workspace,
    agent,
    cwd: startedIn(),
    test: process.env[TEST_CALL_VARIABLE] ?? null,
    meanwhile: new StandInServer({
      version,
      lists: new PipeToolLists(listDataPaths(dataDir).pipeLists, agent),
      builtIn: () => import('./built-in-list.js').then(({ builtInList }) => builtInList()),
    }),
    startApp: () => {
      // Agents start us with little of their own environment, and the app has a window to open.
      const environment = withDisplay(dataDir, process.env);
      if (process.platform === 'linux' && !hasDisplay(environment)) return noDisplay;
      // Whether it serves HTTP the person's settings say.
      const where = workspace === null ? [] : ['--workspace', workspace];
      const args = [...appArgs, ...rootFlags(), ...where, '--data-dir', dataDir];
      return launchApp(process.execPath, args, environment);
    },
    input: process.stdin,
    output,
    complain: (line) => void process.stderr.write(`${line}\n`),
  });
}

const noDisplay: LaunchedApp = {
  failed: Promise.resolve('it needs a display for its window, and none is known here'),
  handedOver: new Promise(() => undefined),
};

/** A folder that was removed meanwhile is none. */
function startedIn(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
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
