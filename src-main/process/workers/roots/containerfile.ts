import { posix } from 'node:path';
import { WorkerProblem } from '../../../domain/ports/sources/worker.js';
import type { ContainerProcess } from '../runc-bundle.js';

/** What a Containerfile says, as far as it can be done without an engine: files put together, and what runs. */
export interface Containerfile {
  readonly copies: readonly Copy[];
  /** Made where they are not there. */
  readonly folders: readonly string[];
  readonly process: ContainerProcess;
}

export interface Copy {
  readonly line: number;
  readonly sources: readonly string[];
  readonly target: string;
  /** An archive is unpacked. */
  readonly unpacks: boolean;
}

const INSTEAD =
  'Install podman, which builds it whole; or unpack what it needs into the package beforehand: “FROM scratch”, and “ADD root.tar.gz /” for a whole system.';

/** What each of these would do can’t be done, or can be left out, without an engine. */
const WITHOUT_EFFECT: readonly string[] = ['LABEL', 'EXPOSE', 'MAINTAINER', 'HEALTHCHECK', 'STOPSIGNAL', 'USER'];

/** Reads it whole, or says what of it takes an engine, with its line. */
export function readContainerfile(text: string, name = 'Containerfile'): Containerfile {
  const state = new Reading(name);
  for (const { line, words } of instructionsOf(text)) state.take(line, words);
  return state.read();
}

class Reading {
  readonly #name: string;
  readonly #copies: Copy[] = [];
  readonly #folders: string[] = [];
  readonly #environment: Record<string, string> = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  };
  #folder = '/';
  #from = false;
  #entrypoint: readonly string[] = [];
  #entrypointIsShell = false;
  #command: readonly string[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  take(line: number, text: string): void {
    const [, word = '', rest = ''] = /^(\S+)\s*([^]*)$/u.exec(text) ?? [];
    const instruction = word.toUpperCase();
    const refuse = (why: string): never => {
      throw new WorkerProblem(`${this.#name}:${line}: ${why}`);
    };
    if (instruction !== 'FROM' && instruction !== 'ARG' && !this.#from) refuse('it begins with “FROM scratch”.');
    switch (instruction) {
      case 'FROM':
        if (this.#from) refuse(`a second FROM (stages) can’t be done with runc alone. ${INSTEAD}`);
        if (!/^scratch$/iu.test(rest.trim()))
          refuse(
            `runc alone has no images to build on, so “FROM ${rest.trim().slice(0, 100)}” can’t be had. ${INSTEAD}`,
          );
        this.#from = true;
        return;
      case 'COPY':
      case 'ADD':
        this.#copies.push(this.#copy(line, rest, instruction === 'ADD', refuse));
        return;
      case 'ENV':
        Object.assign(this.#environment, environmentOf(rest, refuse));
        return;
      case 'WORKDIR': {
        const [folder = '', ...more] = split(rest, refuse);
        if (folder === '' || more.length > 0) refuse('WORKDIR takes one folder.');
        this.#folder = posix.resolve(this.#folder, folder);
        this.#folders.push(this.#folder);
        return;
      }
      case 'CMD':
        this.#command = wordsOf(rest, refuse);
        return;
      case 'ENTRYPOINT':
        this.#entrypoint = wordsOf(rest, refuse);
        this.#entrypointIsShell = !rest.trim().startsWith('[');
        // As engines do: what was to be run before stands for nothing now.
        this.#command = [];
        return;
      default:
        if (!WITHOUT_EFFECT.includes(instruction))
          refuse(`${instruction.slice(0, 40)} can’t be done with runc alone. ${INSTEAD}`);
    }
  }

  read(): Containerfile {
    const args = this.#entrypointIsShell ? this.#entrypoint : [...this.#entrypoint, ...this.#command];
    if (!this.#from) throw new WorkerProblem(`${this.#name}: it has no “FROM scratch”.`);
    if (args.length === 0)
      throw new WorkerProblem(`${this.#name}: it has neither CMD nor ENTRYPOINT, so nothing would run.`);
    return {
      copies: this.#copies,
      folders: this.#folders,
      process: { args, environment: this.#environment, folder: this.#folder },
    };
  }

  #copy(line: number, rest: string, unpacks: boolean, refuse: Refuse): Copy {
    const words = rest.trim().startsWith('[') ? listOf(rest, refuse) : split(rest, refuse);
    const flag = words.find((word) => word.startsWith('--'));
    if (flag !== undefined) refuse(`${flag.slice(0, 60)} can’t be done with runc alone. ${INSTEAD}`);
    if (words.length < 2) refuse('it takes what is copied, and where to.');
    const [to = '', ...sources] = words.toReversed();
    for (const source of sources) {
      if (/^\w+:\/\/|^git@/u.test(source))
        refuse(`${source.slice(0, 100)} would be fetched, and nothing is fetched for a worker.`);
      if (/[*?[\]]/u.test(source)) refuse(`“${source.slice(0, 100)}” is a pattern: name the files or their folder.`);
      if (posix.normalize(`./${source}`).startsWith('..')) refuse(`“${source.slice(0, 100)}” leads out of the folder.`);
      if (source.startsWith('<<')) refuse(`text in the Containerfile can’t be copied with runc alone. ${INSTEAD}`);
    }
    if (sources.length > 1 && !to.endsWith('/'))
      refuse('several files are copied into a folder, whose name ends with “/”.');
    const resolved = posix.resolve(this.#folder, to);
    const isFolder = to.endsWith('/') || /(?:^|\/)\.$/u.test(to);
    const target = isFolder && resolved !== '/' ? `${resolved}/` : resolved;
    return { line, sources: sources.toReversed(), target, unpacks };
  }
}

type Refuse = (why: string) => never;

/** One a line, or several joined by a backslash. */
function instructionsOf(text: string): ReadonlyArray<{ readonly line: number; readonly words: string }> {
  const found: Array<{ line: number; words: string }> = [];
  let begun: { readonly line: number; readonly words: string } | null = null as (typeof found)[number] | null;
  for (const [index, raw] of text.split(/\r?\n/u).entries()) {
    const line = raw.trim();
    const [, directive] = /^#\s*(escape)\s*=/iu.exec(line) ?? [];
    if (directive !== undefined && found.length === 0)
      throw new WorkerProblem(`Containerfile:${index + 1}: the directive “escape” can’t be read with runc alone.`);
    if (line.startsWith('#') || (line === '' && begun === null)) continue;
    const goesOn = line.endsWith('\\');
    const words = goesOn ? line.slice(0, -1) : line;
    begun = begun === null ? { line: index + 1, words } : { ...begun, words: `${begun.words} ${words}` };
    if (goesOn) continue;
    found.push(begun);
    begun = null;
  }
  return begun === null ? found : [...found, begun];
}

/** A program and its words, or a line for a shell. */
function wordsOf(text: string, refuse: Refuse): readonly string[] {
  if (text.trim() === '') return refuse('it names no program.');
  return text.trim().startsWith('[') ? listOf(text, refuse) : ['/bin/sh', '-c', text.trim()];
}

function listOf(text: string, refuse: Refuse): readonly string[] {
  let read: unknown = null;
  try {
    read = JSON.parse(text);
  } catch {
    // Said below.
  }
  return Array.isArray(read) && read.every((word) => typeof word === 'string')
    ? read
    : refuse(`${text.trim().slice(0, 100)} is no list of texts in double quotes.`);
}

/** Words as a shell has them, of which nothing is worked out. */
function split(text: string, refuse: Refuse): readonly string[] {
  if (text.includes('$')) refuse('“$” would be replaced: write out what it stands for.');
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/gu) ?? [];
  if (words.join('').length !== text.replaceAll(/\s+/gu, '').length && !/["'\\]/u.test(text))
    refuse(`${text.slice(0, 100)} can’t be read.`);
  return words.map(unquoted);
}

const unquoted = (word: string): string =>
  word.replaceAll(
    /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gu,
    (_, double: string | undefined, single: string | undefined, escaped: string | undefined) =>
      double?.replaceAll(/\\(["\\$])/gu, '$1') ?? single ?? escaped ?? '',
  );

/** `NAME=value …`, or `NAME the rest`. */
function environmentOf(text: string, refuse: Refuse): Readonly<Record<string, string>> {
  const [, old, value] = /^(\w+)\s+(.+)$/u.exec(text.trim()) ?? [];
  if (old !== undefined && value !== undefined && !text.includes('$')) return { [old]: value };
  const pairs = split(text, refuse).map(
    (word) => /^(\w+)=([^]*)$/u.exec(word) ?? refuse(`“${word}” is no NAME=value.`),
  );
  return Object.fromEntries(pairs.map(([, name = '', given = '']) => [name, given]));
}
