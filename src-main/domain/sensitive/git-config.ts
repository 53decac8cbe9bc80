/** One setting, as Git reads it: section and name in small letters, the part in between as it is. */
export interface GitSetting {
  readonly section: string;
  readonly sub: string | null;
  readonly name: string;
  /** Null for a name alone, which means yes. */
  readonly value: string | null;
}

/**
 * Git's own syntax, strictly: null where there is anything that this does not understand, since what is not understood
 * may say what it is asked about.
 */
export function parseGitConfig(text: string): readonly GitSetting[] | null {
  const settings: GitSetting[] = [];
  let section: Pick<GitSetting, 'section' | 'sub'> | null = null;
  const reader = new GitConfigParser(text.replace(/^\uFEFF/u, '').replaceAll('\r\n', '\n'));
  for (;;) {
    reader.skipBlanks();
    const next = reader.peek();
    if (next === '') return settings;
    if (next === '#' || next === ';') reader.skipLine();
    else if (next === '[') {
      section = reader.section();
      if (section === null) return null;
    } else {
      const setting = section === null ? null : reader.setting();
      if (section === null || setting === null) return null;
      settings.push({ ...section, ...setting });
    }
  }
}

class GitConfigParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    return found[1] ?? '';
  }

  skipBlanks(): void {
    this.#take(/[ \t\n]*/uy);
  }

  skipLine(): void {
    this.#take(/[^\n]*/uy);
  }

  section(): Pick<GitSetting, 'section' | 'sub'> | null {
    const plain = this.#take(/\[([A-Za-z0-9.-]+)\]/uy);
    if (plain !== null) {
      // The old spelling `[remote.origin]`, in which the part after the dot is small letters too.
      const [section = '', ...sub] = plain.toLowerCase().split('.');
      return { section, sub: sub.length === 0 ? null : sub.join('.') };
    }
    const section = this.#take(/\[([A-Za-z0-9-]+)[ \t]+"/uy);
    if (section === null) return null;
    const sub = this.#take(/((?:[^"\\\n]|\\[^\n])*)"\]/uy);
    return sub === null ? null : { section: section.toLowerCase(), sub: sub.replace(/\\(.)/gu, '$1') };
  }

  setting(): Pick<GitSetting, 'name' | 'value'> | null {
    const name = this.#take(/([A-Za-z][A-Za-z0-9-]*)[ \t]*/uy);
    if (name === null) return null;
    if (this.peek() !== '=') {
      // Only the line's end may follow a name alone: with a comment Git takes the file for a bad one.
      return this.#take(/(?=\n|$)/uy) === null ? null : { name: name.toLowerCase(), value: null };
    }
    this.#at += 1;
    const value = this.#value();
    return value === null ? null : { name: name.toLowerCase(), value };
  }

  #value(): string | null {
    let value = '';
    let blanks = '';
    let quoted = false;
    this.#take(/[ \t]*/uy);
    for (;;) {
      const next = this.peek();
      if (next === '' || next === '\n') return quoted ? null : value;
      this.#at += 1;
      if (next === '\\') {
        const escaped = this.peek();
        this.#at += 1;
        if (escaped === '\n') continue;
        const meant = ESCAPES[escaped];
        if (meant === undefined) return null;
        value += blanks + meant;
        blanks = '';
      } else if (next === '"') {
        quoted = !quoted;
        value += blanks;
        blanks = '';
      } else if (!quoted && (next === '#' || next === ';')) {
        this.skipLine();
      } else if (!quoted && (next === ' ' || next === '\t')) blanks += next;
      else {
        value += blanks + next;
        blanks = '';
      }
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n', t: '\t', b: '\b' };

/** Settings that start no program and lead to none: what Git writes by itself when it is asked for its ordinary work. */
const HARMLESS: readonly RegExp[] = [
  /^remote\.\*\.(?:fetch|push|tagopt|mirror|prune|prunetags|promisor|partialclonefilter|skipdefaultupdate|skipfetchall|followremotehead)$/u,
  /^remote\.pushdefault$/u,
  /^branch\.\*\.(?:remote|merge|rebase|pushremote|description)$/u,
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|sparsecheckout|sparsecheckoutcone)$/u,
  /^extensions\.(?:worktreeconfig|partialclone|objectformat|refstorage|compatobjectformat|relativeworktrees)$/u,
  /^submodule\.\*\.(?:active|branch|ignore|fetchrecursesubmodules)$/u,
  /^submodule\.active$/u,
  /^index\.sparse$/u,
  /^lfs\.repositoryformatversion$/u,
];
/** Harmless where it is an address as most are: no helper (`ext::…`), no option. */
const ADDRESSES: readonly RegExp[] = [/^remote\.\*\.(?:url|pushurl)$/u, /^submodule\.\*\.url$/u];

function isHarmless({ section, sub, name, value }: GitSetting, isSubmodule: boolean): boolean {
  const key = sub === null ? `${section}.${name}` : `${section}.*.${name}`;
  if (HARMLESS.some((each) => each.test(key))) return true;
  if (ADDRESSES.some((each) => each.test(key))) return value !== null && !/^-|^[A-Za-z0-9]+::/u.test(value);
  if (key === 'submodule.*.update') return value !== null && /^(?:checkout|rebase|merge|none)$/u.test(value);
  // Of a submodule's own repository: back to where it is checked out, which its `.git` file says as well.
  return (
    isSubmodule &&
    key === 'core.worktree' &&
    value !== null &&
    /^(?:\.\.\/)+[^/]/u.test(value) &&
    !value.endsWith('/..')
  );
}

/**
 * Compares two settings files; null where not all of the difference is harmless, or known. A file that is not there has
 * null for a text.
 */
export function findHarmlessDifferences(
  before: string | null,
  after: string | null,
  isSubmodule = false,
): readonly { readonly setting: GitSetting; readonly added: boolean }[] | null {
  const [was, is] = [before, after].map((text) => (text === null ? [] : parseGitConfig(text)));
  if (was === null || is === null || was === undefined || is === undefined) return null;
  const left = new Map<string, { readonly setting: GitSetting; count: number }>();
  const add = (settings: readonly GitSetting[], by: number): void => {
    for (const setting of settings) {
      const key = JSON.stringify([setting.section, setting.sub, setting.name, setting.value]);
      const known = left.get(key);
      if (known === undefined) left.set(key, { setting, count: by });
      else known.count += by;
    }
  };
  add(was, -1);
  add(is, 1);
  const differ = [...left.values()].filter(({ count }) => count !== 0);
  if (!differ.every(({ setting }) => isHarmless(setting, isSubmodule))) return null;
  return differ.map(({ setting, count }) => ({ setting, added: count > 0 }));
}

/** The files that a repository's settings name: those that hold more settings, and those that Git runs or obeys. */
export interface FilesNamedBySettings {
  /** Paths of included files, from the file that names them. */
  readonly includes: readonly string[];
  /** Paths of files that Git runs or obeys, from the top of the working tree; a folder means all that is in it. */
  readonly obeyed: readonly string[];
}

/** Settings whose value is a path that Git obeys. */
const PATHS: readonly RegExp[] = [/^core\.(?:hookspath|attributesfile)$/u, /^init\.templatedir$/u];
/** Settings whose value is a command line. What of it looks like a path may be a program of the working tree. */
const COMMANDS: readonly RegExp[] = [
  /^core\.(?:fsmonitor|editor|pager|sshcommand|askpass|gitproxy|alternaterefscommand)$/u,
  /^(?:sequence|interactive)\.(?:editor|difffilter)$/u,
  /^(?:gpg|gpg\.\*)\.(?:program|defaultkeycommand)$/u,
  /^filter\.\*\.(?:clean|smudge|process)$/u,
  /^diff\.(?:external|\*\.(?:command|textconv))$/u,
  /^merge\.\*\.driver$/u,
  /^(?:mergetool|difftool|browser|man)\.\*\.(?:cmd|path)$/u,
  /^alias\./u,
  /^credential\.(?:\*\.)?helper$/u,
  /^pager\./u,
  /^uploadpack\.packobjectshook$/u,
  /^remote\.\*\.(?:uploadpack|receivepack)$/u,
  /^submodule\.\*\.update$/u,
  /^trailer\.\*\.(?:command|cmd)$/u,
];

export function findFilesNamedBySettings(settings: readonly GitSetting[]): FilesNamedBySettings {
  const includes: string[] = [];
  const obeyed: string[] = [];
  for (const { section, sub, name, value } of settings) {
    if (value === null || value === '') continue;
    const key = sub === null ? `${section}.${name}` : `${section}.*.${name}`;
    if ((section === 'include' || section === 'includeif') && name === 'path') includes.push(value);
    else if (PATHS.some((each) => each.test(key))) obeyed.push(value);
    else if (COMMANDS.some((each) => each.test(key))) obeyed.push(...pathsIn(value));
  }
  return { includes, obeyed };
}

/** Words of a command line that may be files of the working tree; plain names are looked for in PATH. */
function pathsIn(commandLine: string): readonly string[] {
  return commandLine
    .replace(/^!/u, '')
    .split(/[\s"'`;|&()<>=]+/u)
    .filter((word) => word.includes('/') && !word.startsWith('-') && !word.includes('://'));
}
