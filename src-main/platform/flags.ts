import { AGENT_NAME } from '../domain/ports/agents.js';

/** The options that the app was started with. */
export interface StartOptions {
  /** The folder as it was given; checked by `checkWorkspace`. Null: the welcome screen. */
  readonly workspace: string | null;
  readonly dataDir: string;
  /** Whether a data folder was named; otherwise it is the platform’s default. */
  readonly dataDirSaid: boolean;
  readonly gateway: boolean;
  /** The folder of a domain package, as it was given; null for what the settings name. */
  readonly domain: string | null;
  /** Whether it runs without a window, and without a display: the gateway alone. */
  readonly headless: boolean;
  readonly mcpStdio: boolean;
  /** The agent that the pipe is for; null for an unnamed one. */
  readonly agent: string | null;
  /** The scripted tour: in the window, or played to its end without one; null for none. */
  readonly demo: 'in-window' | 'to-its-end' | null;
}

export type ParsedFlags =
  { readonly ok: true; readonly options: StartOptions } | { readonly ok: false; readonly problem: string };

export interface FlagSurroundings {
  readonly packaged: boolean;
  /** Null where who runs it has no place for data: no home folder, or one that can’t be written to. */
  readonly defaultDataDir: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Switches of Chromium, Node and test drivers that a development build lets through. */
const DEVELOPMENT_SWITCHES =
  /^--(?:inspect|remote-|disable-|enable-|user-data-dir|js-flags|force-|lang|use-|ozone-|log-|trace-|vmodule|v=|host-|ignore-|proxy-|password-store|in-process-|allow-|class=|test-type|window-|high-dpi|auto-|single-process|gtk-|expose-|max-old|stack-|original-process-start-time)/;

/** Chromium’s switches that begin with “no”. They are named one by one: anything else of that form is a word misspelt. */
const NEGATIVE_SWITCHES = new Set(
  (
    'appcompat-clear crash-upload default-browser-check delay-for-dx12-vulkan-info-collection experiments first-run ' +
    'initial-navigation network-profile-warning pings pre-read-main-dll proxy-server recovery-component sandbox ' +
    'service-autorun startup-window unsandboxed-zygote user-gesture-required vr-runtime wifi xshm zygote zygote-sandbox'
  )
    .split(' ')
    .map((name) => `--no-${name}`),
);

/** Node knows its own. */
const isNegativeSwitch = (arg: string, name: string) =>
  NEGATIVE_SWITCHES.has(name) || (arg.startsWith('--no-') && process.allowedNodeEnvironmentFlags.has(name));

/**
 * The switches that a packaged build lets through: how to draw and which real store keeps secrets (`basic` is none, and
 * would turn a real one off); nothing that opens it to a debugger.
 */
const PACKAGED_SWITCHES =
  /^--(?:no-sandbox$|disable-gpu$|in-process-gpu$|no-zygote$|enable-features=NetworkServiceInProcess2$|disable-dev-shm-usage$|ozone-platform(?:-hint)?=|password-store=(?:gnome-libsecret|gnome|kwallet[56]?)$|force-device-scale-factor=|lang=|gtk-version=|original-process-start-time)/;

/** Node's own options that take the next argument. */
const WITH_VALUE = new Set(['-r', '--require', '--import']);

/** `args` is everything after the executable. */
export function parseFlags(args: readonly string[], surroundings: FlagSurroundings): ParsedFlags {
  const { packaged, defaultDataDir, environment } = surroundings;
  const letThrough = packaged ? PACKAGED_SWITCHES : DEVELOPMENT_SWITCHES;
  let workspace: string | null = null;
  let dataDir = environment['GATEHOUSE_DATA_DIR'] || defaultDataDir;
  let gateway = false;
  let domain: string | null = null;
  let headless = false;
  let mcpStdio = false;
  let dataDirSaid = Boolean(environment['GATEHOUSE_DATA_DIR']);
  let agent: string | null = null;
  let demo = false;
  let exit = false;
  // The first positional is the app itself in development, for the runtime.
  let positionalsToIgnore = packaged ? 0 : 1;

  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const name = equals === -1 ? arg : arg.slice(0, equals);
    if (name === '--workspace' || name === '--data-dir' || name === '--domain') {
      const value = equals === -1 ? args[(at += 1)] : arg.slice(equals + 1);
      if (value === undefined || value === '' || (equals === -1 && value.startsWith('--'))) {
        return { ok: false, problem: `${name} needs a folder after it.` };
      }
      if (name === '--domain') {
        if (domain !== null) return { ok: false, problem: '--domain stands there twice: a gateway serves one domain.' };
        domain = value;
      } else if (name === '--workspace') workspace = value;
      else [dataDir, dataDirSaid] = [value, true];
    } else if (name === '--agent') {
      const value = equals === -1 ? args[(at += 1)] : arg.slice(equals + 1);
      if (value === undefined || !AGENT_NAME.test(value) || (equals === -1 && value.startsWith('--')))
        return { ok: false, problem: '--agent needs a name of a–z, 0–9 and “-”, at most 32 characters long.' };
      agent = value;
    } else if (arg === '--gateway') gateway = true;
    else if (arg === '--headless') headless = true;
    else if (arg === '--mcp-stdio') mcpStdio = true;
    else if (arg === '--demo') demo = true;
    else if (arg === '--exit') exit = true;
    else if (!packaged && WITH_VALUE.has(arg)) at += 1;
    else if (letThrough.test(arg) || (!packaged && isNegativeSwitch(arg, name))) continue;
    else if (!arg.startsWith('-') && positionalsToIgnore > 0) positionalsToIgnore -= 1;
    else return { ok: false, problem: unknown(arg) };
  }
  if (agent !== null && !mcpStdio)
    return { ok: false, problem: '--agent says whose pipe it is: it goes with --mcp-stdio.' };
  if (exit && !demo) return { ok: false, problem: '--exit ends the demo when it was played: it goes with --demo.' };
  if (demo && workspace !== null)
    return { ok: false, problem: '--demo plays in a folder of its own: leave out --workspace.' };
  if (domain !== null && (demo || mcpStdio))
    return { ok: false, problem: `--domain and ${demo ? '--demo' : '--mcp-stdio'} do not go together: leave out one.` };
  if (headless && (demo || mcpStdio))
    return {
      ok: false,
      problem: `--headless and ${demo ? '--demo' : '--mcp-stdio'} do not go together: leave out one.`,
    };
  if (demo && mcpStdio) return { ok: false, problem: '--demo and --mcp-stdio do not go together: leave out one.' };
  if (dataDir === null && !demo) return { ok: false, problem: NO_PLACE };
  return {
    ok: true,
    options: {
      workspace,
      // The demo has a folder of its own.
      dataDir: dataDir ?? '',
      dataDirSaid,
      gateway: gateway || headless || domain !== null,
      domain,
      headless,
      mcpStdio,
      agent,
      demo: demo ? (exit ? 'to-its-end' : 'in-window') : null,
    },
  };
}

const NO_PLACE =
  'There is no home folder to keep data in, or it can’t be written to. Name a folder with --data-dir <dir>.';

function unknown(arg: string): string {
  const shown = arg.length > 100 ? `${arg.slice(0, 100)}…` : arg;
  const what = arg.startsWith('-') ? 'Unknown flag' : 'Unexpected argument';
  return `${what} ${JSON.stringify(shown)}. Known: --workspace <dir>, --data-dir <dir>, --gateway, --headless, --domain <dir>, --mcp-stdio, --agent <name>, --demo [--exit].`;
}
