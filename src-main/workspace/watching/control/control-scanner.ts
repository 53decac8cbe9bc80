import { basename } from 'node:path';
import { mayBeUnknownDot, findUnknownDot } from '../../../domain/sensitive/unknown-dot-files.js';
import { looksLikeRepository, parseGitFile } from '../../../domain/sensitive/git-folder.js';
import {
  beginsQuarantinedPlace,
  listRemainders,
  isMadeByTools,
  isQuarantined,
  mayBeginQuarantinedPlace,
} from '../../../domain/sensitive/sensitive-places.js';
import { OBEYED_IN_GIT } from '../../../domain/sensitive/git-folder.js';
import { findOutermost, pathFromTop } from '../../../platform/git/repository-top.js';
import { hasHonestTimes, isSettled } from '../../handles/change-times.js';
import type { FileStatus } from '../../handles/file-status.js';
import { GitFolders } from './git/git-folders.js';
import { type ControlScan, type ScanBounds, ScanPass } from './scan-pass.js';
import { joinPath, toShownPath } from './raw-path.js';

/** A folder that tools work in, or what Git keeps outside of it. */
export type GuardedKind = 'workspace' | 'repository';

interface ScannerOptions {
  /** The kind of folder. A repository's own folder is looked at as a whole: names of branches are no names of files. */
  readonly is?: GuardedKind;
  readonly hidden: readonly string[];
  readonly home: string | null;
  /** The folders that the person has open: one may contain the root. */
  readonly folders?: () => readonly string[];
  readonly bounds?: ScanBounds;
}

/** A folder as it was listed: as long as its time of change is the same, it holds the same names. */
interface ListedFolder {
  readonly device: bigint;
  readonly inode: bigint;
  readonly changedNs: bigint;
  /** Listed long enough after its last change that a later one has another time. */
  readonly settled: boolean;
  readonly folders: readonly string[];
  /** Names that may be, or begin, such a place. */
  readonly candidates: readonly string[];
  readonly isRepository: boolean;
}

export const SCAN_BOUNDS: ScanBounds = { maxFolders: 500_000, maxFound: 50_000, maxMs: 30_000 };

/** Folders looked at before other work gets its turn. */
const SLICE = 256;

/** Looks at one workspace again and again: only folders whose names changed are listed anew. */
export class ControlScanner {
  readonly root: string;
  readonly #raw: string;
  readonly #is: GuardedKind;
  readonly #hidden: ReadonlySet<string>;
  readonly #git: GitFolders;
  /** The names that lead here from the workspace or repository that holds the root. */
  #above = '';
  readonly #folders: () => readonly string[];
  readonly #bounds: ScanBounds;
  #listed = new Map<string, ListedFolder>();

  constructor(root: string, options: ScannerOptions) {
    this.root = root;
    this.#is = options.is ?? 'workspace';
    this.#raw = Buffer.from(root).toString('latin1');
    this.#hidden = new Set(options.hidden.map((path) => Buffer.from(path).toString('latin1')));
    this.#git = new GitFolders(root, options.home);
    this.#folders = options.folders ?? (() => []);
    this.#bounds = options.bounds ?? SCAN_BOUNDS;
  }

  /**
   * `named` are paths that counted before a command, and still do after it. What links lead to is among them: a link
   * that is new is quarantined itself, and what it leads to stays what it was.
   */
  async scan(named?: ReadonlySet<string>, strange: ReadonlySet<string> | null = null): Promise<ControlScan> {
    const pass = new ScanPass(this.#raw, this.#bounds);
    pass.unknownDotsBefore = strange;
    // As it was before a command, which may have made a repository of the root.
    if (named === undefined) this.#above = pathFromTop(this.root, this.#whole());
    if (this.#is === 'workspace') await this.#walk(pass);
    else this.#git.collect('', pass, basename(this.root) === '.git' ? 'here' : 'elsewhere');
    this.#git.collectAbove(pass);
    if (named === undefined) this.#git.followLinks(pass);
    else this.#git.collectNamed(pass, named);
    return pass;
  }

  async #walk(pass: ScanPass): Promise<void> {
    const listed = new Map<string, ListedFolder>();
    const cached = hasHonestTimes(this.root);
    const waiting: FolderVisit[] = [{ path: '', depth: 0, begins: beginsQuarantinedPlace(this.#above), isMade: false }];
    let sincePause = 0;
    for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
      const known = this.#list(visit, cached, pass, listed);
      if (known === null) continue;
      if (!pass.mayGoOn(visit.depth)) break;
      if (known.isRepository) this.#git.collect(visit.path, pass, 'elsewhere');
      for (const name of known.candidates) this.#candidate(visit, name, pass);
      for (const name of known.folders) {
        const path = joinPath(visit.path, name);
        if (pass.entered.has(path) || this.#hidden.has(`${this.#raw}/${path}`)) continue;
        const begins = known.candidates.includes(name) && beginsQuarantinedPlace(this.#fromWhole(path));
        waiting.push({ path, depth: visit.depth + 1, begins, isMade: visit.isMade || isMadeByTools(name) });
      }
      for (const path of pass.made.splice(0))
        waiting.push({ path, depth: visit.depth + 1, begins: false, isMade: true });
      if ((sincePause += 1) % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#listed = listed;
    this.#rootItself(pass);
  }

  /** The folder that holds the root, the outermost of them; where folders are open and none does, one that does not. */
  #whole(): string {
    const folders = this.#folders();
    return findOutermost(this.root, folders) ?? folders[0] ?? this.root;
  }

  /** The root may be, or lie in, what steers others itself: the person gave it to tools. */
  #rootItself(pass: ScanPass): void {
    if (!isQuarantined('', this.#above)) return;
    const git = /(?:^|\/)\.git(?:\/(.*))?$/iu.exec(this.#above);
    if (git === null) return pass.addAllIn('');
    const inGit = git[1] ?? '';
    if (inGit === '') this.#git.collect('', pass, 'here');
    for (const member of OBEYED_IN_GIT) {
      if (inGit === member || inGit.startsWith(`${member}/`)) pass.addAllIn('');
      else if (inGit !== '' && member.startsWith(`${inGit}/`))
        this.#git.collectMember(member.slice(inGit.length + 1), pass);
    }
  }

  #fromWhole(path: string): string {
    return joinPath(this.#above, toShownPath(path));
  }

  #candidate({ path: folder }: FolderVisit, name: string, pass: ScanPass): void {
    const path = joinPath(folder, name);
    const status = pass.status(path);
    if (status === null) return;
    if (name.toLowerCase() === '.git') {
      if (status.kind === 'dir') {
        pass.entered.add(path);
        this.#git.collect(path, pass, 'here');
      } else {
        pass.places.add(toShownPath(path));
        pass.addItself(path, status);
        const text = status.kind === 'file' ? this.#git.textOf(path, status) : null;
        const leadsTo = text === null ? this.#git.linkTarget(path, status.kind) : parseGitFile(text);
        if (leadsTo !== null) this.#git.collectLedTo(folder, leadsTo, pass);
      }
    } else if (isQuarantined(toShownPath(path), this.#above)) {
      pass.places.add(toShownPath(path));
      if (status.kind === 'dir') {
        pass.entered.add(path);
        pass.addAllIn(path);
      } else pass.add(path, status);
    } else if (status.kind === 'symlink' && beginsQuarantinedPlace(this.#fromWhole(path))) {
      pass.addBeginning(path, status, listRemainders(this.#fromWhole(path)));
    } else if (findUnknownDot(toShownPath(path)) === toShownPath(path)) pass.addUnknownDot(path, status);
  }

  #list(visit: FolderVisit, cached: boolean, pass: ScanPass, listed: Map<string, ListedFolder>): ListedFolder | null {
    const status = pass.status(visit.path);
    if (status?.kind !== 'dir') return null;
    const before = this.#listed.get(visit.path);
    if (cached && before !== undefined && isSame(before, status)) {
      listed.set(visit.path, before);
      return before;
    }
    const entries = pass.entriesOf(visit.path);
    if (entries === null) return null;
    const folders: string[] = [];
    const candidates: string[] = [];
    const names = new Set<string>();
    for (const entry of entries) {
      const { name } = entry;
      const shown = PLAIN.test(name) ? name : toShownPath(name);
      if (visit.isMade ? GIT.test(shown) : visit.begins || mayBeginQuarantinedPlace(shown) || mayBeUnknownDot(shown))
        candidates.push(name);
      if (INNER.has(name)) names.add(name);
      if (entry.isDirectory()) folders.push(name);
    }
    const known: ListedFolder = {
      device: status.device,
      inode: status.inode,
      changedNs: status.changedNs,
      settled: isSettled(status.changedNs),
      folders,
      candidates,
      isRepository: looksLikeRepository(names),
    };
    if (isSame(known, status)) listed.set(visit.path, known);
    return known;
  }
}

interface FolderVisit {
  readonly path: string;
  readonly depth: number;
  /** True where the path begins a control path of several names, so that each name in it may continue it. */
  readonly begins: boolean;
  /**
   * True in a folder that tools generate: nothing counts there but repositories, since Git enters submodules wherever
   * they are.
   */
  readonly isMade: boolean;
}

const GIT = /^\.git$/iu;

const PLAIN = /^[\u{20}-\u{7e}]*$/u;
const INNER: ReadonlySet<string> = new Set(['HEAD', 'commondir', 'objects', 'refs']);

const isSame = (listed: ListedFolder, status: FileStatus): boolean =>
  listed.settled &&
  listed.device === status.device &&
  listed.inode === status.inode &&
  listed.changedNs === status.changedNs;
