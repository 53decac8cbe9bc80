import { WorkerProblem } from '../../domain/ports/sources/worker.js';

/**
 * The images that a Containerfile builds on, once nothing in it reaches beyond the package and the images that are
 * named.
 */
export interface BuildFile {
  /** Images that have to be on this machine. */
  readonly bases: readonly string[];
  /** The first line that runs a program while it is built; null where none does. */
  readonly runsAt: number | null;
}

const MAX_LENGTH = 64 * 1024;
const MAX_INSTRUCTIONS = 500;

/** Instructions that describe the image, and have the engine do nothing but that. */
const ONLY_DESCRIBE: readonly string[] =
  'ARG CMD ENTRYPOINT ENV EXPOSE HEALTHCHECK LABEL MAINTAINER SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(' ');

/**
 * Engines fetch, read other images and open the machine’s network where a Containerfile tells them to, whatever they themselves
 * were told. So it is read before any of them gets it, by one reader with a closed list: what is not understood is refused, by
 * its line.
 */
export function readBuildFile(text: string, name: string): BuildFile {
  const refuse = (line: number, why: string): never => {
    throw new WorkerProblem(`${name}:${line}: ${why}`);
  };
  if (text.length > MAX_LENGTH) refuse(1, `it is longer than ${MAX_LENGTH / 1024} KiB.`);
  const instructions = parseInstructions(text, refuse);
  if (instructions.length > MAX_INSTRUCTIONS) refuse(1, `it has more than ${MAX_INSTRUCTIONS} instructions.`);
  const stages: string[] = [];
  const bases = new Set<string>();
  let runsAt: number | null = null;
  for (const { line, instruction, rest } of instructions) {
    const no: RefuseLine = (why) => refuse(line, why);
    if (stages.length === 0 && instruction !== 'FROM' && instruction !== 'ARG') no('it begins with FROM.');
    if (instruction === 'FROM') stages.push(registerStage(rest, { stages, bases, number: stages.length }, no));
    else if (instruction === 'RUN') {
      runsAt ??= line;
      checkRun(rest, no);
    } else if (instruction === 'COPY' || instruction === 'ADD') checkCopy(instruction, rest, stages, no);
    else if (!ONLY_DESCRIBE.includes(instruction)) no(`${instruction.slice(0, 40)} is not taken here.`);
  }
  if (stages.length === 0) refuse(1, 'it has no FROM.');
  return { bases: [...bases], runsAt };
}

type RefuseLine = (why: string) => never;

interface Stages {
  readonly stages: readonly string[];
  readonly bases: Set<string>;
  readonly number: number;
}

/** Registers a stage under its name; a stage without a name is known by its number alone. */
function registerStage(rest: string, { stages, bases, number }: Stages, no: RefuseLine): string {
  if (rest.includes('$')) no('“$” after FROM could stand for any image: write out which one.');
  const [base = '', as, stage, ...more] = rest.split(/[\t ]+/u);
  if (base.startsWith('--')) no(`${base.slice(0, 60)} is not taken here: an image of this machine is built.`);
  if (!isImageName(base)) no(`“${base.slice(0, 100)}” is no name of an image.`);
  if (as !== undefined && (!/^as$/iu.test(as) || stage === undefined || more.length > 0))
    no('it takes an image, and “AS” with a name.');
  if (stage !== undefined && !/^[a-z][\w.-]*$/iu.test(stage)) no(`“${stage.slice(0, 60)}” is no name of a stage.`);
  if (base.toLowerCase() !== 'scratch' && !stages.includes(base.toLowerCase())) bases.add(base);
  return (stage ?? `#${number}`).toLowerCase();
}

/**
 * Whether it names an image in a store of images: engines also take archives and folders, by names that begin
 * otherwise.
 */
function isImageName(text: string): boolean {
  const [transport] = text.split(':');
  if (text.includes(':') && TRANSPORTS.includes(transport ?? '')) return false;
  return /^(?:[a-z0-9][a-z0-9.-]*(?::\d+)?\/)?[a-z0-9][\w./-]*(?::\w[\w.-]*)?(?:@sha256:[0-9a-f]+)?$/iu.test(text);
}

const TRANSPORTS: readonly string[] =
  'atomic containers-storage dir docker docker-archive docker-daemon oci oci-archive ostree sif tarball'.split(' ');

/** Refuses flags of RUN: they mount, open the network and lift the confinement. */
function checkRun(rest: string, no: RefuseLine): void {
  if (rest.startsWith('--')) no(`${firstWord(rest)} is not taken here: what is built is held as its worker is.`);
  refuseHereDocument(rest, no);
}

function checkCopy(instruction: 'COPY' | 'ADD', rest: string, stages: readonly string[], no: RefuseLine): void {
  refuseHereDocument(rest, no);
  let words = rest;
  for (; words.startsWith('--'); words = words.replace(/^\S+\s*/u, '')) {
    const flag = firstWord(words);
    const [, from] = /^--from=(.*)$/u.exec(flag) ?? [];
    if (from === undefined) {
      if (!/^--(?:chown|chmod)=[\w:.+-]+$/u.test(flag)) no(`${flag} is not taken here.`);
    } else if (instruction === 'ADD' || !isOwnStage(from, stages))
      no(`${flag} reads an image that is not one of its own stages.`);
  }
  if (words.includes('$')) no('“$” could stand for any place: write out what is copied, and where to.');
  const places = parsePaths(words, no);
  if (places.some((place) => place.startsWith('--'))) no('a place that begins with “--” is read as a flag.');
  if (instruction === 'ADD' && places.some((place) => /[:@]|^github\.com\//iu.test(place)))
    no('nothing is fetched for a worker: put the file into the package.');
}

/**
 * Parses the paths of a COPY as every engine has them: an escaped or quoted word would be another one by the time that
 * it is used.
 */
function parsePaths(words: string, no: RefuseLine): readonly string[] {
  if (words.includes('\\')) no('“\\” is not taken in a place: write it out.');
  if (!words.startsWith('[')) {
    if (/["'`]/u.test(words)) no('quotes are taken in a list only: ["from", "to"].');
    return words.split(/[\t ]+/u);
  }
  let list: unknown = null;
  try {
    list = JSON.parse(words);
  } catch {
    // Said below.
  }
  const isList = Array.isArray(list) && list.every((word) => typeof word === 'string' && !/["'`]/u.test(word));
  return isList ? (list as readonly string[]) : no('it is no list of texts in double quotes.');
}

/** Whether it names an earlier stage: the one that is being built does not count yet. */
function isOwnStage(from: string, stages: readonly string[]): boolean {
  const before = stages.slice(0, -1);
  return /^\d+$/u.test(from) ? Number(from) < before.length : before.includes(from.toLowerCase());
}

/** Whether its lines are a text or instructions is read otherwise by each engine. */
function refuseHereDocument(rest: string, no: RefuseLine): void {
  if (rest.includes('<<')) no('a text that begins with “<<” is not taken here: put it into a file of the package.');
}

const firstWord = (text: string): string => text.split(/\s/u)[0]?.slice(0, 60) ?? '';

interface BuildInstruction {
  readonly line: number;
  readonly instruction: string;
  readonly rest: string;
}

/**
 * Parses instructions, one a line, or several lines joined by a backslash as engines join them: with nothing between,
 * so that a word may go on.
 */
function parseInstructions(text: string, refuse: (line: number, why: string) => never): readonly BuildInstruction[] {
  const found: BuildInstruction[] = [];
  let begun: { line: number; words: string } | null = null as { line: number; words: string } | null;
  const end = (): void => {
    if (begun === null) return;
    const [, word = '', rest = ''] = /^(\S+)[\t ]*(.*)$/u.exec(begun.words) ?? [];
    found.push({ line: begun.line, instruction: word.toUpperCase(), rest: rest.trimEnd() });
    begun = null;
  };
  for (const [index, raw] of text.split(/\r?\n/u).entries()) {
    const number = index + 1;
    // Blanks and ends of lines that engines see otherwise than people.
    if (/[^\P{Cc}\t]|[^\P{White_Space}\t ]|[^\P{Cf}]/u.test(raw))
      refuse(number, 'it has a character that is not seen.');
    const line = raw.trim();
    if (line.startsWith('#')) {
      if (/^#\s*(?:syntax|escape|check)\s*=/iu.test(line))
        refuse(number, 'it says how it is to be read, and there is one way here: leave that line out.');
      continue;
    }
    if (line === '') {
      if (begun !== null) refuse(number, 'the line before goes on, and this one is empty.');
      continue;
    }
    if (line.endsWith('\\\\')) refuse(number, 'whether it goes on after “\\\\” is read otherwise by each engine.');
    const goesOn = line.endsWith('\\');
    // Blanks before the first word of an instruction are no part of it, and blanks before any other are.
    const own = begun === null ? line : raw.trimEnd();
    const words = goesOn ? own.slice(0, -1) : own;
    begun = begun === null ? { line: number, words } : { line: begun.line, words: begun.words + words };
    if (!goesOn) end();
  }
  end();
  return found;
}
