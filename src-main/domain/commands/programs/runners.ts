/**
 * Programs that run what a file of the folder says. A yes to `npm test` is a yes to the script that stands behind it, so
 * a rule for one holds as long as that is the same.
 */
export interface Runner {
  /** Looked for in this order. The first that is there counts; of the `also`, each that is there. */
  readonly files: readonly string[];
  readonly also: readonly string[];
  /** Words that may be files of the folder: what is run is in those that are there. Where none is, it is no runner. */
  readonly named: readonly string[];
  /** Lists the files that the file includes, by path; null where that can’t be told. */
  readonly includes: (text: string) => readonly string[] | null;
  /** Extracts the part of the file that is run; null where it can’t be told, or nothing is. */
  readonly part: (text: string) => string | null;
  /** Whether its words lead it to files of another place, so that those of this folder say nothing. */
  readonly isElsewhere: boolean;
  /** Explanation for a person who thinks of making a rule of it. */
  readonly about: string;
}

const whole = (text: string): string => text;
const nothing = (): readonly string[] => [];

/** Finds the runner that these words start, be they a command’s or a rule’s. */
export function findRunner(words: readonly string[]): Runner | null {
  const program = (words[0] ?? '').split('/').at(-1) ?? '';
  const isElsewhere = PACKAGE_MANAGER.test(program) && words.some((word) => OTHER_PACKAGE.test(word));
  const scripts = isElsewhere ? 'all' : runScripts(program, words);
  if (scripts !== null) {
    return {
      files: ['package.json'],
      isElsewhere,
      also: ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'bunfig.toml'],
      named: [],
      includes: nothing,
      part: (text) => scriptTexts(text, scripts),
      about: `${program} runs whatever the scripts in this folder’s package.json contain.`,
    };
  }
  const known = Object.hasOwn(BY_FILE, program) ? BY_FILE[program] : undefined;
  if (known === undefined) return runnerOfNamedFiles(program, words);
  const { files, also = [], includes = nothing, elsewhere = ELSEWHERE } = known;
  const about = `${program} runs whatever this folder’s ${files.at(-1) ?? ''} says.`;
  return {
    files,
    also,
    named: [],
    includes,
    isElsewhere: words.some((word) => elsewhere.test(word)),
    part: whole,
    about,
  };
}

const INTERPRETER =
  /^(?:(?:ba|da|a|k|z|fi)?sh|busybox|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy\d?|perl|ruby|php|lua[\d.]*|Rscript|tclsh)$/u;

/** A script, or a program of the folder: what it is now is what was confirmed. */
function runnerOfNamedFiles(program: string, words: readonly string[]): Runner | null {
  const isOfFolder = (words[0] ?? '').includes('/');
  if (!isOfFolder && !INTERPRETER.test(program)) return null;
  // Which word is the script hangs on the options before it; whatever is a file of the folder counts.
  const given = isOfFolder ? words : words.slice(1);
  const named = given.map((word) => (word.startsWith('-') ? word.replace(/^-[^=]*=?/u, '') : word));
  const about = 'It runs whatever the files of this folder that it names contain.';
  return {
    files: [],
    also: [],
    named: named.filter((word) => word !== ''),
    includes: nothing,
    isElsewhere: false,
    part: whole,
    about,
  };
}

const PACKAGE_MANAGER = /^(?:npm|pnpm|yarn|bun)$/u;
const OTHER_PACKAGE =
  /^(?:-C|-w|-F|-r|--(?:prefix|dir|cwd|workspaces?|workspace-root|filter|recursive|userconfig|globalconfig|config)(?:=|$))/u;
const ELSEWHERE =
  /^(?:-[CfcdDR]|--(?:file|justfile|working-dir(?:ectory)?|taskfile|dir|global|rakefile|rakelib|libdir|conf|root|noxfile|manifest-path|config)(?:=|$))/u;

interface FileRunner {
  readonly files: readonly string[];
  readonly also?: readonly string[];
  readonly includes?: Runner['includes'];
  /** Options that have it look in another place. */
  readonly elsewhere?: RegExp;
}

/** Lines that take another file in, by its name alone. One with anything to be worked out in it can’t be told. */
const byLines =
  (line: RegExp) =>
  (text: string): readonly string[] | null => {
    const names = [...text.matchAll(line)].flatMap((found) => (found[1] ?? '').trim().split(/[ \t]+/u));
    return names.every((name) => /^["']?[\w./-]+["']?$/u.test(name))
      ? names.map((name) => name.replaceAll(/["']/gu, ''))
      : null;
  };
/** Where files are taken in by the rules of a language, what is run is not told by this file. */
const noneOrUntold =
  (sign: RegExp) =>
  (text: string): readonly string[] | null =>
    sign.test(text) ? null : [];

const includedByMake = byLines(/^ *(?:-|s)?include[ \t]+([^#\n]*)/gmu);
const MAKEFILES: FileRunner = {
  files: ['GNUmakefile', 'makefile', 'Makefile'],
  includes: (text) => (/^ *load\s|\$[({](?:eval|file|guile)\b/mu.test(text) ? null : includedByMake(text)),
  elsewhere: /^(?:-[A-Za-z]*[CfI]|--(?:directory|file|makefile|include-dir|eval))/u,
};
const BY_FILE: Readonly<Record<string, FileRunner>> = {
  make: MAKEFILES,
  gmake: MAKEFILES,
  just: {
    files: ['justfile', '.justfile', 'Justfile'],
    includes: noneOrUntold(/^\s*(?:import\??|mod\??|!include)\s/mu),
  },
  task: {
    files: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'],
    includes: noneOrUntold(/^\s*["']?includes["']?\s*:/mu),
  },
  rake: {
    files: ['Rakefile', 'rakefile', 'Rakefile.rb'],
    includes: noneOrUntold(/\b(?:import|load|require|require_relative|eval|instance_eval)\b/u),
  },
  tox: { files: ['tox.ini', 'setup.cfg', 'pyproject.toml'] },
  nox: { files: ['noxfile.py'] },
  composer: { files: ['composer.json'] },
  // The tests themselves are the folder’s, as with any test runner; these run before them.
  cargo: { files: ['Cargo.toml'], also: ['build.rs', '.cargo/config.toml', '.cargo/config'] },
};

/** The names of the scripts that are run; 'all' where the words leave it open; null where none is. */
function runScripts(program: string, words: readonly string[]): readonly string[] | 'all' | null {
  if (!PACKAGE_MANAGER.test(program)) return null;
  const [, verb, name] = words.filter((word, index) => index === 0 || !word.startsWith('-'));
  if (verb === undefined) return 'all';
  if (/^run(?:-script)?$/u.test(verb)) return name === undefined ? 'all' : withHooks(name);
  if (/^(?:test|t|tst)$/u.test(verb)) return withHooks('test');
  if (/^(?:start|stop)$/u.test(verb)) return withHooks(verb);
  if (verb === 'restart') return ['restart', 'stop', 'start'].flatMap(withHooks);
  if (/^(?:install|i|ci|add|update|up|dedupe|link|pack|publish)$/u.test(verb))
    return ['install', 'prepublish', 'preprepare', 'prepare', 'postprepare', 'prepack', 'dependencies'].flatMap(
      withHooks,
    );
  // Yarn, pnpm and Bun take a script’s name as it is.
  return program === 'npm' ? null : withHooks(verb);
}

const withHooks = (name: string): readonly string[] => [`pre${name}`, name, `post${name}`];

function scriptTexts(text: string, names: readonly string[] | 'all'): string | null {
  let scripts: unknown;
  try {
    scripts = (JSON.parse(text) as { readonly scripts?: unknown } | null)?.scripts ?? {};
  } catch {
    return null;
  }
  if (typeof scripts !== 'object' || scripts === null) return null;
  return Object.entries(scripts)
    .filter(([name]) => names === 'all' || names.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, script]) => `${name}: ${typeof script === 'string' ? script : JSON.stringify(script)}\n`)
    .join('');
}
