import { isComputable, isComputedWhenSet, type ShellValue } from './word-values.js';
import type { FindingKind, NeverRemembered } from '../programs/finding-kinds.js';
import type { ArgumentRole } from '../programs/program.js';
import type { SimpleReadCommand } from '../../sensitive/command-allowance.js';
import { MAY_STEER, findUnknownDot } from '../../sensitive/unknown-dot-files.js';
import { type Folder, compileGlob } from './folder.js';
import { parseHostName, parseHost, findHosts, isLoopback } from './hosts/addresses.js';
import { resolveHosts } from './hosts/resolve-hosts.js';
import { splitPieces, resolvePlace } from './places.js';
import type { Finding, GitWork, NamedFile, SetVariable } from './reading.js';

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export type Cwds = readonly string[] | null;

const NEVER_REMEMBERED: ReadonlySet<string> = new Set<NeverRemembered>([
  'publishes',
  'rewrites-history',
  'deletes-for-good',
  'control-file',
  'secret',
  'outside',
  'host',
]);

const GIT_ORDER: readonly GitWork[] = ['none', 'reads', 'undoable', 'rewrites'];
const MAX_FINDINGS = 400;
/** More than are ever shown. */
const MAX_NOTICES = 200;

/** Collects what a reading finds. */
export class ReadingRecord {
  readonly folder: Folder;
  readonly found: Finding[] = [];
  readonly programs = new Set<string>();
  readonly files = new Map<string, NamedFile>();
  readonly hosts = new Set<string>();
  readonly secrets = new Set<string>();
  readonly controlFiles = new Set<string>();
  readonly outside = new Set<string>();
  readonly variables = new Map<string, SetVariable>();
  /** Every command that it runs, with those that others start. */
  readonly ran: SimpleReadCommand[] = [];
  readonly #needed = new Map<string, readonly string[] | null>();
  readonly #loopback: { readonly host: string; readonly at: TextRange }[] = [];
  /** Notices of what is no danger by itself, and no rule covers all the same. */
  readonly againstRules = new Set<string>();
  notWhole: string | null = null;
  anyHost = false;
  /** Whether it changes nothing, whatever it may show. */
  onlyReads = true;
  /** Whether it shows what is not this folder’s to show. */
  reveals = false;
  background = false;
  /** Whether a shell computes with a text that is no number: some run what stands in it. */
  computesText = false;
  #notices = 0;
  git: GitWork = 'none';

  constructor(folder: Folder) {
    this.folder = folder;
  }

  computedText(): void {
    this.computesText = true;
  }

  variableSet(name: string, held: ShellValue): void {
    if (isComputedWhenSet(name) && !isComputable(held)) this.computesText = true;
  }

  note(kind: FindingKind, { start, end }: TextRange, words: string): void {
    if (this.found.some((each) => each.kind === kind && each.words === words && each.start === start)) return;
    if (kind === 'notice') {
      this.#notices += 1;
      if (this.#notices <= MAX_NOTICES) this.found.push({ kind, start, end, words });
      return;
    }
    if (this.found.length < MAX_FINDINGS + MAX_NOTICES) this.found.push({ kind, start, end, words });
    else this.unread({ start, end }, 'longer than can be checked');
    if (kind === 'secret' || kind === 'outside') this.reveals = true;
    else this.onlyReads = false;
  }

  /** Records what is no danger by itself, and no rule covers. */
  warn(at: TextRange, words: string): void {
    if (!this.found.some((each) => each.words === words && each.start === at.start)) this.note('notice', at, words);
    this.againstRules.add(words);
  }

  unread(at: TextRange, why: string): void {
    if (this.notWhole === null) {
      this.notWhole = why;
      this.note('unread', at, why);
    }
    this.onlyReads = false;
  }

  works(git: GitWork): void {
    if (GIT_ORDER.indexOf(git) > GIT_ORDER.indexOf(this.git)) this.git = git;
  }

  secret(path: string, at: TextRange): void {
    this.secrets.add(path);
    this.note('secret', at, `reads ${path}, a file of secrets`);
  }

  /** A path that is named to be read, written, changed or deleted. */
  path(written: string, role: 'reads' | 'writes' | 'changes' | 'deletes', cwds: Cwds, at: TextRange): void {
    const isRelative = !/^[/~]/u.test(written);
    if (cwds === null && isRelative) {
      this.unread(at, 'it changes to a folder that can’t be known in advance and names files there');
      return;
    }
    // Nowhere is where nothing comes to run; it is looked at all the same.
    for (const cwd of isRelative && cwds !== null && cwds.length > 0 ? cwds : ['']) {
      this.#place(written, role, cwd, at);
      if (role === 'writes' || role === 'changes') this.#unknownDot(written, cwd, at);
    }
  }

  /** A dot name that no list knows, or in such a folder, where there is nothing yet. */
  #unknownDot(written: string, cwd: string, at: TextRange): void {
    const place = resolvePlace(written, cwd, this.folder);
    const dot = place.kind === 'inside' ? findUnknownDot(place.path) : null;
    if (place.kind !== 'inside' || dot === null) return;
    const files = this.folder.files();
    const { path } = place;
    if (files === null || files.some((file) => file === path || file.startsWith(`${path}/`))) return;
    if (isListed(this.folder.text('.gitignore') ?? '', dot)) return;
    this.controlFiles.add(path);
    this.note('control-file', at, `makes ${path}: ${MAY_STEER}`);
  }

  #place(written: string, role: 'reads' | 'writes' | 'changes' | 'deletes', cwd: string, at: TextRange): void {
    const place = resolvePlace(written, cwd, this.folder);
    switch (place.kind) {
      case 'own':
        return;
      case 'device':
        if (/^\/dev\/(?:tcp|udp)\//u.test(place.path)) {
          this.anyHost = true;
          this.note('host', at, `connects to another machine: ${place.path}`);
          this.againstRules.add(`connects to another machine: ${place.path}`);
        } else
          this.note(
            role === 'reads' ? 'outside' : 'deletes-for-good',
            at,
            role === 'reads' ? `reads the device ${place.path}` : `writes straight to the device ${place.path}`,
          );
        return;
      case 'outside':
        this.outside.add(place.path);
        if (place.secret) this.secret(place.path, at);
        this.note('outside', at, `${place.path} is outside this folder`);
        if (place.control && role !== 'reads') this.#control(place.path, at);
        return;
      case 'inside':
        if (place.secret) this.secret(place.path, at);
        if (place.control && role !== 'reads') this.#control(place.path, at);
        if (role !== 'reads') this.files.set(`${role} ${place.path}`, { path: place.path, does: role });
    }
  }

  /** Where a control file is given to what may change it. */
  controlled(text: string, cwds: Cwds, at: TextRange): void {
    for (const cwd of cwds === null || cwds.length === 0 ? [''] : cwds) {
      const place = resolvePlace(text, cwd, this.folder);
      if ((place.kind === 'inside' || place.kind === 'outside') && place.control) this.#control(place.path, at);
    }
  }

  #control(path: string, at: TextRange): void {
    this.controlFiles.add(path);
    this.note('control-file', at, `changes ${path}, which can make other programs run code`);
  }

  /** Records a word that may be a name or a number, or a place all the same. */
  value(text: string, cwds: Cwds, at: TextRange): void {
    for (const host of findHosts(text)) this.host(host, at);
    const [, after = ''] = /^[^=]*=([\s\S]*)$/u.exec(text) ?? [];
    for (const each of new Set([text, after, text.replace(/^@/u, ''), ...text.split(/[:,]/u)])) {
      if (each !== '' && each !== '/' && !/\s|:\/\//u.test(each)) this.#named(each, cwds, at);
    }
  }

  /** Records a place by what a word looks like: nobody said that it is a path. */
  #named(text: string, cwds: Cwds, at: TextRange): void {
    for (const cwd of cwds === null || cwds.length === 0 ? [''] : cwds) {
      const place = resolvePlace(text, cwd, this.folder);
      if (place.kind === 'own' || (place.kind === 'inside' && !place.secret && !place.control)) continue;
      if (
        place.kind === 'outside' &&
        !place.secret &&
        !/^(?:\/[\w.~-]|~\/|\.\.(?:\/|$)|\$HOME)|\/\.\.(?:\/|$)/u.test(text)
      )
        continue;
      this.#place(text, place.kind !== 'device' && place.control ? 'writes' : 'reads', cwd, at);
    }
  }

  /** A program, or another text that is carried: what it names. */
  text(text: string, cwds: Cwds, at: TextRange): void {
    for (const host of findHosts(text)) this.host(host, at);
    for (const piece of splitPieces(text))
      if (!piece.includes('://') && !/^\/{1,2}$|^\/[/*]/u.test(piece)) this.#inText(piece, cwds, at);
  }

  /** Records only what is plainly a place in a program's text: much in it looks like one. */
  #inText(piece: string, cwds: Cwds, at: TextRange): void {
    const place = resolvePlace(piece, cwds?.[0] ?? '', this.folder);
    const isPlain =
      /^(?:\/(?:etc|home|root|usr|var|proc|sys|dev|opt|bin|sbin|lib|mnt|media|srv|boot|run|Users|tmp)(?:\/|$)|~(?:\/|$)|\.\.\/|\.\.$)/u.test(
        piece,
      );
    if (place.kind === 'own' || (place.kind === 'device' && !isPlain)) return;
    if (place.kind === 'outside' && (place.secret || isPlain)) this.#place(piece, 'reads', '', at);
    else if (place.kind === 'inside' && (place.secret || place.control))
      this.#place(piece, place.control ? 'writes' : 'reads', '', at);
    else if (place.kind === 'device') this.#place(piece, 'reads', '', at);
  }

  address(text: string, cwds: Cwds, at: TextRange): void {
    if (/^file:/iu.test(text)) {
      this.path(text.replace(/^file:(?:\/\/[^/]*)?/iu, ''), 'reads', cwds, at);
      return;
    }
    const named = parseHost(text) ?? parseHostName(text);
    // Other brackets than those of an address stand for several.
    const plain = text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?\[[0-9a-f:.]+\]/iu, '');
    if (named === null || /[{}[\]$]/u.test(plain)) this.unknownHost(at);
    else this.host(named, at);
  }

  host(host: string, at: TextRange): void {
    if (isLoopback(host)) this.#loopback.push({ host, at });
    else if (!this.hosts.has(host)) {
      this.hosts.add(host);
      this.note('host', at, `contacts ${host}`);
    }
    this.onlyReads = false;
  }

  unknownHost(at: TextRange): void {
    this.anyHost = true;
    this.note('host', at, 'needs the network, and its hosts can’t be known in advance');
  }

  /** Records the hosts of a need, by what the table of programs says, and what is set where it runs. */
  needs(need: string, cwds: Cwds, at: TextRange): void {
    for (const cwd of cwds === null || cwds.length === 0 ? [''] : cwds) {
      const hosts = cwds === null ? null : this.#hostsFor(need, cwd);
      if (hosts === null) this.unknownHost(at);
      else for (const host of hosts) this.host(host, at);
    }
  }

  /** Settings are looked at once, however often a command needs them. */
  #hostsFor(need: string, cwd: string): readonly string[] | null {
    const key = JSON.stringify([need, cwd]);
    const known = this.#needed.get(key);
    if (known !== undefined) return known;
    const hosts = resolveHosts(need, { folder: this.folder, cwd });
    this.#needed.set(key, hosts);
    return hosts;
  }

  /** Once all is read: a server that the same command starts is its own. */
  settle(startsServer: boolean): void {
    if (!startsServer)
      for (const { host, at } of this.#loopback) {
        this.hosts.add(host);
        this.note('host', at, `contacts ${host}: a server on this computer that it didn’t start`);
      }
    const [host = this.anyHost ? 'another machine' : null] = this.hosts;
    if (host === null) return;
    for (const [index, each] of this.found.entries())
      if (each.kind === 'secret')
        this.found[index] = {
          ...each,
          words: each.words.replace(/^reads (.*), a file of secrets$/u, `sends $1 to ${host}`),
        };
  }

  /** Lists what no rule covers. A host is none of it: no rule gives a network. */
  dangers(): readonly string[] {
    const found = this.found.filter(({ kind }) => kind !== 'notice' && kind !== 'host');
    return [...new Set([...found.map(({ words }) => words), ...this.againstRules])];
  }

  neverRemembered(): readonly NeverRemembered[] {
    const kinds = new Set(this.found.map(({ kind }) => kind));
    return [...kinds].filter((kind): kind is NeverRemembered => NEVER_REMEMBERED.has(kind));
  }
}

/** Whether a list of what is ignored has this name, as such a list is mostly written. */
const isListed = (list: string, dot: string): boolean =>
  list
    .split('\n')
    .map((line) => line.trim().replace(/^\/|\/$/gu, ''))
    .filter((line) => line !== '' && !/^[#!]/u.test(line))
    .some((line) => compileGlob(line, true)(line.includes('/') ? dot : (dot.split('/').at(-1) ?? dot)));

export const isPathRole = (role: ArgumentRole): role is 'reads' | 'writes' | 'changes' | 'deletes' =>
  role === 'reads' || role === 'writes' || role === 'changes' || role === 'deletes';
