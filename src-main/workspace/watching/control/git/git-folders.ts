import { dirname, resolve } from 'node:path';
import {
  findFilesNamedBySettings,
  type FilesNamedBySettings,
  parseGitConfig,
} from '../../../../domain/sensitive/git-config.js';
import {
  isSampleHook,
  OBEYED_IN_GIT,
  REPOSITORIES_IN_GIT,
  parseGitFile,
} from '../../../../domain/sensitive/git-folder.js';
import { listFoldersUp, pathExists } from '../../../../platform/git/repository-top.js';
import { type FileStatus, isSameState, statusOf } from '../../../handles/file-status.js';
import { unpatchedFs } from '../../../../platform/files/unpatched-fs.js';
import type { ScanPass } from '../scan-pass.js';
import { joinPath, toRawPath, toShownPath, systemPath } from '../raw-path.js';
import { readSmall } from '../read-state.js';
import { realPathOf } from '../../../../platform/files/resolve-path.js';

const { lstatSync, readlinkSync } = unpatchedFs;

const MAX_INCLUDES = 50;
const MAX_LINKS = 40;
const MAX_REPOSITORIES = 2000;

const NOTHING: FilesNamedBySettings = { includes: [], obeyed: [] };

/** The files that Git obeys in the repositories of one workspace, and those that their settings name. */
export class GitFolders {
  readonly #root: string;
  /** The person's own settings: what they name may be in the workspace. */
  readonly #global: readonly string[];
  readonly #home: string | null;
  readonly #texts = new Map<string, { readonly status: FileStatus; readonly text: string | null }>();

  constructor(root: string, home: string | null) {
    this.#root = root;
    this.#home = home;
    this.#global = ['/etc/gitconfig', ...(home === null ? [] : [`${home}/.gitconfig`, `${home}/.config/git/config`])];
  }

  /** `here`: its working tree is the folder that it is in. `elsewhere`: it is its own, or says where it is. */
  collect(path: string, pass: ScanPass, worktree: 'here' | 'elsewhere'): void {
    const shown = toShownPath(path);
    if (pass.repositories.has(shown)) return;
    if (pass.repositories.size >= MAX_REPOSITORIES) {
      pass.complete = false;
      return;
    }
    pass.repositories.add(shown);
    for (const member of OBEYED_IN_GIT) this.collectMember(joinPath(path, member), pass);
    for (const name of REPOSITORIES_IN_GIT) {
      const inner = joinPath(path, name);
      const status = pass.status(inner);
      if (status === null) continue;
      if (status.kind === 'dir') this.#repositoriesIn(inner, pass);
      else pass.addItself(inner, status);
    }
    this.#settingsOf(shown, worktree === 'here' ? resolve(this.#root, shown, '..') : resolve(this.#root, shown), pass);
    const common = this.#textIn(joinPath(path, 'commondir'), pass)?.trim() ?? '';
    if (common !== '') this.#inside(resolve(this.#root, shown, common), pass);
  }

  /** Collects what a `.git` file in `folder` leads to. */
  collectLedTo(folder: string, leadsTo: string, pass: ScanPass): void {
    const repository = resolve(this.#root, toShownPath(folder), leadsTo);
    this.#inside(repository, pass);
    this.#settingsOf(repository, resolve(this.#root, toShownPath(folder)), pass);
  }

  /** Repositories that the workspace lies in: what their settings name may be in it. */
  collectAbove(pass: ScanPass): void {
    for (const folder of listFoldersUp(resolve(this.#root, '..'))) {
      const git = resolve(folder, '.git');
      if (pathExists(resolve(git, 'HEAD'))) this.#settingsOf(git, folder, pass);
      else if (['HEAD', 'objects', 'refs'].every((name) => pathExists(resolve(folder, name)))) {
        this.#settingsOf(folder, folder, pass);
      } else {
        const leadsTo = parseGitFile(this.#textAt(git) ?? '');
        if (leadsTo !== null) this.#settingsOf(resolve(folder, leadsTo), folder, pass);
      }
    }
  }

  /** `repository` from the root, or absolute. */
  #settingsOf(repository: string, top: string, pass: ScanPass): void {
    const place = resolve(this.#root, repository);
    const common = this.#textAt(resolve(place, 'commondir'))?.trim() ?? '';
    for (const folder of common === '' ? [place] : [place, resolve(place, common)]) {
      for (const name of ['config', 'config.worktree']) this.#settings(resolve(folder, name), top, pass);
    }
    for (const file of this.#global) this.#settings(file, top, pass);
  }

  /** Paths that counted before a command still do after it, whatever the settings say by then. */
  collectNamed(pass: ScanPass, before: ReadonlySet<string>): void {
    for (const path of before) this.#ledTo(resolve(this.#root, path), pass);
  }

  /**
   * Collects the targets of links where programs look: a program finds the target at the link's place, even where
   * nothing exists yet.
   */
  followLinks(pass: ScanPass): void {
    for (const { path, rest } of pass.beginning) for (const each of rest) this.#follow(path, each, pass);
    // Links that are found on the way come to the end of the set.
    for (const path of pass.links) this.#follow(path, '', pass);
  }

  #follow(path: string, rest: string, pass: ScanPass): void {
    const target = this.linkTarget(path, 'symlink');
    if (target === null) return;
    const place = resolve(this.#root, dirname(toShownPath(path)), target, rest);
    this.#ledTo(this.#below(place) === null ? realPathOf(place) : place, pass);
  }

  #ledTo(absolute: string, pass: ScanPass): void {
    if (absolute !== this.#root) this.#obeyed(absolute, pass);
    else if (!pass.named.has('')) {
      // A link to all of the workspace: all of it is at that place.
      pass.named.add('');
      pass.addAllIn('', (name) => name === '.git');
    }
  }

  #inside(absolute: string, pass: ScanPass): void {
    const relative = this.#below(absolute);
    if (relative === null || relative === '') return;
    const path = toRawPath(relative);
    const status = pass.status(path);
    if (status?.kind === 'dir') this.collect(path, pass, 'elsewhere');
    else if (status !== null) pass.addItself(path, status);
  }

  /** Something that Git obeys, by its path from the root. */
  collectMember(path: string, pass: ScanPass): void {
    const above = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
    // `info` or `rebase-merge` as a link.
    const holder = pass.status(above);
    if (holder?.kind === 'symlink') pass.addBeginning(above, holder, [path.slice(above.length + 1)]);
    if (holder?.kind !== 'dir') return;
    const status = pass.status(path);
    if (status === null) return;
    if (status.kind === 'dir') pass.addAllIn(path, isSampleHook);
    else pass.add(path, status);
  }

  /** Submodules' names may have slashes in them, so every folder is entered, but for those with objects in them. */
  #repositoriesIn(path: string, pass: ScanPass): void {
    const waiting = [{ path, depth: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (!pass.mayGoOn(next.depth)) return;
      for (const entry of pass.entriesOf(next.path) ?? []) {
        const inner = `${next.path}/${entry.name}`;
        if (entry.isSymbolicLink()) {
          const status = pass.status(inner);
          if (status !== null) pass.addItself(inner, status);
        }
        if (!entry.isDirectory() || NOT_ENTERED.has(entry.name)) continue;
        this.collect(inner, pass, 'elsewhere');
        waiting.push({ path: inner, depth: next.depth + 1 });
      }
    }
  }

  #settings(file: string, top: string, pass: ScanPass, depth = 0): void {
    if (depth > MAX_INCLUDES) return;
    const text = this.#textAt(file);
    const named = text === null ? NOTHING : findFilesNamedBySettings(parseGitConfig(text) ?? parseLoosely(text));
    for (const include of named.includes) {
      const included = this.#expand(include, resolve(file, '..'));
      if (included === file) continue;
      this.#obeyed(included, pass);
      this.#settings(included, top, pass, depth + 1 + Math.floor(MAX_INCLUDES / 8));
    }
    for (const path of named.obeyed) this.#obeyed(this.#expand(path, top), pass);
  }

  #expand(path: string, from: string): string {
    return path.startsWith('~/') && this.#home !== null ? resolve(this.#home, path.slice(2)) : resolve(from, path);
  }

  #obeyed(absolute: string, pass: ScanPass): void {
    pass.whileNaming(() => this.#follows(absolute, pass));
  }

  /** Name by name: a link on the way is obeyed too, since whoever replaces it says where it leads. */
  #follows(absolute: string, pass: ScanPass): void {
    const first = this.#below(absolute);
    if (first === null || first === '') return;
    pass.named.add(first);
    let names = first.split('/');
    let current = '';
    for (let links = 0; names.length > 0 && links < MAX_LINKS;) {
      const [name = '', ...rest] = names;
      names = rest;
      const path = current === '' ? toRawPath(name) : `${current}/${toRawPath(name)}`;
      const status = pass.status(path);
      if (status === null) {
        pass.named.add([toShownPath(path), ...rest].join('/'));
        return;
      }
      if (status.kind === 'symlink') {
        pass.addItself(path, status);
        links += 1;
        const target = this.linkTarget(path, status.kind);
        const leadsTo = target === null ? null : this.#below(resolve(this.#root, toShownPath(current), target));
        if (leadsTo === null || leadsTo === '') return;
        names = [...leadsTo.split('/'), ...rest];
        current = '';
      } else if (names.length > 0) current = path;
      else {
        pass.named.add(toShownPath(path));
        pass.places.add(toShownPath(path));
        if (status.kind === 'dir') pass.addAllIn(path, isSampleHook);
        else pass.add(path, status);
      }
    }
  }

  linkTarget(path: string, kind: FileStatus['kind']): string | null {
    if (kind !== 'symlink') return null;
    try {
      return readlinkSync(systemPath(`${toRawPath(this.#root)}/${path}`));
    } catch {
      return null;
    }
  }

  #below(absolute: string): string | null {
    if (absolute === this.#root) return '';
    return absolute.startsWith(`${this.#root}/`) ? absolute.slice(this.#root.length + 1) : null;
  }

  #textIn(path: string, pass: ScanPass): string | null {
    const status = pass.status(path);
    return status?.kind === 'file' ? this.textOf(path, status) : null;
  }

  /** The text of a file in the workspace whose status was read. */
  textOf(path: string, status: FileStatus): string | null {
    return this.#read(systemPath(`${toRawPath(this.#root)}/${path}`), `${this.#root}/${toShownPath(path)}`, status);
  }

  #textAt(file: string): string | null {
    try {
      const path = systemPath(toRawPath(file));
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return null;
      const status = statusOf(stats);
      // The person's own settings are often a link.
      return this.#read(path, file, status);
    } catch {
      return null;
    }
  }

  #read(path: string | Buffer, key: string, status: FileStatus): string | null {
    const known = this.#texts.get(key);
    if (known !== undefined && status.kind === 'file' && isSameState(known.status, status)) return known.text;
    const text = readSmall(path, true)?.toString('utf8') ?? null;
    this.#texts.set(key, { status, text });
    return text;
  }
}

const NOT_ENTERED: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'hooks', 'info', 'lfs']);

/** Reads settings that can't be parsed for certain: whatever looks like a value counts. */
const parseLoosely = (text: string): NonNullable<ReturnType<typeof parseGitConfig>> =>
  [...text.matchAll(/(path|hookspath|fsmonitor|attributesfile)\s*=\s*"?([^"\n#;]+)/giu)].map(
    ([, name = '', value = '']) => ({
      section: name.toLowerCase() === 'path' ? 'include' : 'core',
      sub: null,
      name: name.toLowerCase(),
      value: value.trim(),
    }),
  );
