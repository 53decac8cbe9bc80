import type { CommandResult } from '../../../domain/ports/command-runner.js';

/** Messages of programs that find no way to where they want to go. */
const NETWORK_FAILURE =
  /could ?n[o’']t resolve|name resolution|name or service not known|nodename nor servname|network is unreachable|no route to host|getaddrinfo|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED)\b|unknown ?host|no such host|connection refused|failed to lookup address|could not be reached|(?:failed|unable|could ?n[o’']t) (?:to )?connect/iu;
/** And where that was, where they say so. */
const UNREACHED_HOST =
  /(?:ENOTFOUND|EAI_AGAIN|resolve host(?:name)?:?|lookup|host:|resolve:?|to reach|resolving|address information for)\s+["'“]?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})\b/giu;

const NOT_WRITABLE = /read-only file system|\bEROFS\b|device or resource busy|\bEBUSY\b/iu;
/** A path in `.git` as Git says it (“'.git/index.lock'”), and as others do. */
const GIT_PATH = /(?:^|[/'"‘“\s])\.git(?:[/'"’”:\s]|$)/u;
/** Something that may be a path, but for the words of the message itself. */
const NAMES_PATH = /[\w.-]\/[\w.-]|['"‘“][^'"’”\s]+['"’”]|(?:^|\s)\.?[\w-]+\.\w+(?=[:\s]|$)/u;
const MAX_LISTED_LENGTH = 60;
const MAX_SHOWN_LENGTH = 36;
const MAX_HOSTS = 5;

/** Far enough from the end for what a package manager says after it. */
const LAST_WORDS = 4000;

export interface MissingAccess {
  readonly words: string;
  /** A person could have given it: asked for again, it is theirs to say. In words for them, null where they could not. */
  readonly askAgain: string | null;
  /** The network was off, and these it could not reach, as far as that is known; left out where it was something else. */
  readonly hosts?: readonly string[];
  /** Paths that were hidden from it, and that a person could let it read; left out where it was something else. */
  readonly hidden?: readonly string[];
}

/**
 * Explains a command that failed, and seems to have failed for its confinement: what it lacked, and what can be done.
 * `named` are the hosts that it is known to need.
 */
export function explainFailure(
  result: CommandResult,
  named: readonly string[],
  mayWriteGit: boolean,
): MissingAccess | null {
  const other = explainOtherThanHidden(result, named, mayWriteGit);
  const { hiddenFiles = [], couldOnlyRead = false, stdout, stderr } = result;
  // What only reads, and finds nothing, has failed for nothing that was hidden.
  const said = hiddenFiles.filter((path) => !couldOnlyRead || `${stdout}\n${stderr}`.includes(nameOf(path)));
  if (said.length === 0) return other;
  const words = `Hidden from it: ${joinShortened(said)}. Ask again: a person can let it read that.`;
  return {
    ...other,
    words: other === null ? words : `${other.words} ${words}`,
    askAgain:
      other?.askAgain ??
      `It ran without asking, and failed: ${joinShortened(said)} was hidden from it. You can let it read that.`,
    hidden: [...(other?.hidden ?? []), ...said],
  };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function explainOtherThanHidden(
  result: CommandResult,
  named: readonly string[],
  mayWriteGit: boolean,
): MissingAccess | null {
  const {
    confinement,
    networkUse,
    stdout,
    stderr,
    readOnlyAsShared = [],
    readOnlyAsUnkept = [],
    notShown = [],
    couldOnlyRead = false,
  } = result;
  if (confinement === null || confinement === 'unconfined') return null;
  const said = `${stdout.slice(-LAST_WORDS)}\n${stderr.slice(-LAST_WORDS)}`;
  const notWritten = said.split('\n').filter((line) => NOT_WRITABLE.test(line));
  if (notWritten.length > 0) {
    if (couldOnlyRead) return ONLY_READS;
    // What it says itself that it could not write to is what it lacked.
    if (!mayWriteGit && notWritten.some((line) => GIT_PATH.test(line))) return GIT_ALONE;
    const wanted = readOnlyAsUnkept.filter((path) => notWritten.some((line) => path === '' || namesIt(line, path)));
    const namesNone = notWritten.every((line) => !NAMES_PATH.test(line));
    if (wanted.length > 0) return explainUnkeptFiles(wanted);
    if (namesNone && readOnlyAsUnkept.length > 0) return explainUnkeptFiles(readOnlyAsUnkept);
    if (readOnlyAsShared.length > 0) {
      const files = readOnlyAsShared.join(', ').slice(0, MAX_LISTED_LENGTH);
      return { words: `Read-only here, as other folders share its files: ${files}`, askAgain: null };
    }
  }
  if (notShown.length > 0) return explainHiddenFiles(notShown);
  if (networkUse !== null && networkUse.refused.length > 0) return explainRefusedHosts(networkUse.refused);
  const hosts = hostsIn(said);
  if (confinement === 'confined') {
    if (NETWORK_FAILURE.test(said)) return networkOff(hosts.length > 0 ? hosts : named, COULD_NOT);
    // The command said nothing of why.
    return named.length > 0 ? networkOff(named, NEEDS) : null;
  }
  return NETWORK_FAILURE.test(said) ? ONLY_BY_PROXY : null;
}

const ONLY_BY_PROXY: MissingAccess = {
  words: 'Its only network was an HTTP proxy (http_proxy); what uses none has no network.',
  askAgain: null,
};

/** The same for what was refused while it ran, whatever became of it. */
export const explainRefusedHosts = (refused: readonly string[]): MissingAccess => ({
  words: `It may not reach ${joinShortened(refused)}. Ask for ${those(refused)}.`,
  askAgain: null,
});

const GIT_ALONE: MissingAccess = {
  words:
    '.git is read-only to a command that is not git itself. Send the git command alone. A person can also let it (“may write .git”).',
  askAgain: 'It failed: .git is read-only to a command that is not git itself (“may write .git” lets this one).',
};

const ONLY_READS: MissingAccess = {
  words: 'The folder was read-only to it, as it was taken to only read. Ask again, and a person is asked.',
  askAgain: 'It ran without asking, and failed: it was taken to only read, and wanted to write.',
};

function explainUnkeptFiles(paths: readonly string[]): MissingAccess {
  const what = paths.includes('') ? 'all of the folder' : joinShortened(paths);
  return {
    words: `Read-only to it, as no copy is kept: ${what}. Ask again, and a person is asked.`,
    askAgain: `It ran without asking, and failed: no copy is kept of what it wanted to change (${what}).`,
  };
}

/** Itself, or a folder that it is in, between quotation marks. */
const namesIt = (line: string, path: string): boolean =>
  line.includes(path) ||
  path
    .split('/')
    .slice(0, -1)
    .some((_, at, names) => {
      const folder = names.slice(0, at + 1).join('/');
      return [...line.matchAll(/['"‘“]([^'"’”]+)['"’”]/gu)].some(
        ([, word = '']) => word === folder || word.endsWith(`/${folder}`),
      );
    });

const explainHiddenFiles = (paths: readonly string[]): MissingAccess => ({
  words: `Outside this folder, and hidden from it: ${paths.join(', ')}. Ask again: a person can let it read that.`,
  askAgain: `It ran without asking, and failed: ${paths.join(', ')} is outside this folder, and hidden from it. You can let it read that.`,
  hidden: paths,
});

const COULD_NOT = ': it could not reach';
const NEEDS = ', and it needs';

function networkOff(hosts: readonly string[], what: string): MissingAccess {
  if (hosts.length === 0)
    return {
      words: 'The network was off. Ask again: a person can allow it for a call.',
      askAgain: 'It ran without asking, and failed: the network was off.',
      hosts,
    };
  return {
    words: `The network was off${what} ${joinShortened(hosts)}. Ask for ${those(hosts)}.`,
    askAgain: `It ran without asking, and failed: the network was off${what} ${joinShortened(hosts)}.`,
    hosts,
  };
}

const those = (hosts: readonly string[]): string => (hosts.length === 1 ? 'that host' : 'those hosts');

/** Joins names; everything has to fit beside the output. */
const joinShortened = (names: readonly string[]): string => {
  const all = names.join(', ');
  return all.length <= MAX_SHOWN_LENGTH ? all : `${all.slice(0, MAX_SHOWN_LENGTH)}…`;
};

const hostsIn = (said: string): readonly string[] =>
  [...new Set([...said.matchAll(UNREACHED_HOST)].map(([, host = '']) => host.toLowerCase()))].slice(0, MAX_HOSTS);
