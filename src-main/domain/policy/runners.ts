/**
 * Programs that run what a file of the folder says. A yes to `npm test` is a yes to the script that stands behind it, so
 * a rule for one holds as long as that is the same.
 */
export interface Runner {
  /** Looked for in this order. The first that is there counts; of the `also`, each that is there. */
  readonly files: readonly string[];
  readonly also: readonly string[];
  /** What of the file is run; null where it can’t be told, or nothing is. */
  readonly part: (text: string) => string | null;
  /** For a person who thinks of making a rule of it. */
  readonly about: string;
}

const whole = (text: string): string => text;

/** Which runner these words start, be they a command’s or a rule’s. */
export function runnerOf(words: readonly string[]): Runner | null {
  const program = (words[0] ?? '').split('/').at(-1) ?? '';
  const scripts = scriptsOf(program, words);
  if (scripts !== null) {
    return {
      files: ['package.json'],
      also: ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'bunfig.toml'],
      part: (text) => scriptTexts(text, scripts),
      about: `${program} runs whatever the scripts in this folder’s package.json contain.`,
    };
  }
  const known = Object.hasOwn(BY_FILE, program) ? BY_FILE[program] : undefined;
  if (known === undefined) return null;
  const { files, also = [] } = known;
  return { files, also, part: whole, about: `${program} runs whatever this folder’s ${files.at(-1) ?? ''} says.` };
}

interface ByFile {
  readonly files: readonly string[];
  readonly also?: readonly string[];
}

const MAKEFILES: ByFile = { files: ['GNUmakefile', 'makefile', 'Makefile'] };
const BY_FILE: Readonly<Record<string, ByFile>> = {
  make: MAKEFILES,
  gmake: MAKEFILES,
  just: { files: ['justfile', '.justfile', 'Justfile'] },
  task: { files: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'] },
  rake: { files: ['Rakefile', 'rakefile', 'Rakefile.rb'] },
  tox: { files: ['tox.ini', 'setup.cfg', 'pyproject.toml'] },
  nox: { files: ['noxfile.py'] },
  composer: { files: ['composer.json'] },
  // The tests themselves are the folder’s, as with any test runner; these run before them.
  cargo: { files: ['Cargo.toml'], also: ['build.rs', '.cargo/config.toml', '.cargo/config'] },
};

/** The names of the scripts that are run; 'all' where the words leave it open; null where none is. */
function scriptsOf(program: string, words: readonly string[]): readonly string[] | 'all' | null {
  if (!/^(?:npm|pnpm|yarn|bun)$/u.test(program)) return null;
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
