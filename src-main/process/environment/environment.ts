import { nameStrength } from '../../domain/text/secrets/names.js';
import { buildSearchPath } from './search-path.js';

/**
 * The variables that a command gets: a short list to begin with, what the person adds, less what the denylist names,
 * less what makes programs load or run something. An allowlist, since secrets have inventive names.
 */
const ALLOWED: readonly string[] = [
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TERM',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SHELL',
  'TZ',
];

/** Never, whoever asks: each of these makes a shell, a loader or a tool run what it names, or reach an agent. */
const NEVER: readonly string[] = [
  'BASH_ENV',
  'ENV',
  'BASH_FUNC_*',
  'SHELLOPTS',
  'BASHOPTS',
  'PS4',
  'PROMPT_COMMAND',
  'IFS',
  'LD_*',
  'DYLD_*',
  'GCONV_PATH',
  'NODE_OPTIONS',
  'NODE_PATH',
  'PYTHONSTARTUP',
  'PYTHONPATH',
  'PYTHONHOME',
  'PERL5OPT',
  'PERL5LIB',
  'RUBYOPT',
  'RUBYLIB',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'GIT_EXTERNAL_DIFF',
  'GIT_CONFIG*',
  'GIT_PROXY_COMMAND',
  'SSH_ASKPASS',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_*',
  'DISPLAY',
  'WAYLAND_*',
  'XAUTHORITY',
  'DOCKER_*',
  'KUBECONFIG',
  'ELECTRON_*',
  'CHROME_*',
  'GATEHOUSE_*',
];

/** Marks every process of a call, so that what escapes its group is still found. */
export const MARK_VARIABLE = 'GATEHOUSE_CALL';

export interface EnvironmentRules {
  /** The person's, besides the built-in ones. */
  readonly allowlist: readonly string[];
  readonly denylist: readonly string[];
  /** Folders that tools may write to, or could once: no program is looked for there by its name alone. */
  readonly writable: readonly string[];
}

export function commandEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  rules: EnvironmentRules,
  ignoreCase: boolean,
): Record<string, string> {
  const matches = (patterns: readonly string[]) => {
    const expressions = patterns.map((pattern) => globExpression(pattern, ignoreCase));
    return (name: string): boolean => expressions.some((expression) => expression.test(name));
  };
  const allowed = matches([...ALLOWED, ...rules.allowlist]);
  const denied = matches([...rules.denylist, ...NEVER]);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name) || value.startsWith('() {')) continue;
    if (allowed(name) && !denied(name)) environment[name] = value;
  }
  return {
    ...environment,
    PATH: buildSearchPath(environment['PATH'] ?? '', rules.writable),
    TERM: 'xterm-256color',
    // Pagers wait for keys that nobody can press.
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    MANPAGER: 'cat',
    SYSTEMD_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** The secret values that the patterns take out of an environment; `AWS_*` takes out a region too, which is none. */
export function findSecretValues(
  inherited: Readonly<Record<string, string | undefined>>,
  patterns: readonly string[],
): readonly string[] {
  const expressions = patterns.map((pattern) => globExpression(pattern, process.platform === 'win32'));
  return Object.entries(inherited).flatMap(([name, value]) => {
    if (value === undefined || !expressions.some((expression) => expression.test(name))) return [];
    const saysSo = nameStrength(name) !== 'none' || /key$/iu.test(name);
    return saysSo || isRandom(value) ? [value] : [];
  });
}

/** No address, no path, no word. */
const isRandom = (value: string): boolean =>
  value.length >= 16 && !/^\/|:\/\/|^arn:/u.test(value) && /\d/u.test(value) && /[A-Za-z]/u.test(value);

/** `*` stands for anything; the rest is itself. */
function globExpression(glob: string, ignoreCase: boolean): RegExp {
  const source = glob
    .split(/\*+/u)
    .map((part) => RegExp.escape(part))
    .join('.*');
  return new RegExp(`^${source}$`, ignoreCase ? 'isu' : 'su');
}
