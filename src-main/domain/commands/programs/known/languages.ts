import { effect, sameForNames, type ParsedArguments, type Program, type ProgramTable } from '../program.js';

const runs = (more: Partial<Program> = {}): Program => ({ nature: 'runs', ...more });
/** A tool of a project: it obeys the folder’s own settings, and writes where they say. */
const tool = (more: Partial<Program> = {}): Program => runs({ anyOption: true, ...more });

const PYTHON = runs({
  tellsVersion: true,
  more: 'c:code m:module W:text X:text Q:value',
  operands: ['script', 'reads'],
  fromInput: 'code',
});
const NODE = runs({
  tellsVersion: true,
  more: 'e:code eval:code p:code print:code r:script require:script import:script loader:script experimental-loader:script env-file:reads env-file-if-exists:reads C:value conditions:value test-name-pattern:text test-reporter:program inspect! inspect-brk! c!reads check!reads',
  operands: ['script', 'reads'],
  fromInput: 'code',
});
const SHELL = runs({
  isShell: true,
  grammar: 'shell',
  options: { letters: 'abefhiklmnprstuvxBCEHPT', long: 'login norc noprofile posix restricted verbose' },
  more: 'c!reads rcfile:script init-file:script o:text O:text',
  operands: ['script', 'reads'],
  fromInput: 'shell',
});

/** Interpreters, compilers, builders and testers: they run what the folder contains. */
export const LANGUAGES: ProgramTable = {
  ...sameForNames('sh bash dash ash ksh zsh mksh rbash busybox-sh', SHELL),
  ...sameForNames(
    'fish csh tcsh nu elvish xonsh',
    runs({ isShell: true, more: 'c:code C:code', operands: ['script', 'reads'], fromInput: 'code' }),
  ),
  ...sameForNames('python python2 python3 pypy pypy3', PYTHON),
  ...sameForNames('node nodejs electron', NODE),
  ...sameForNames('tsx ts-node esno swc-node vite-node', { ...NODE, fromInput: 'code' }),
  perl: runs({
    tellsVersion: true,
    more: 'e:code E:code M:program I:program i! n! p! l! a! 0! F:text x:folder d:program',
    operands: ['script', 'reads'],
    fromInput: 'code',
  }),
  ruby: runs({
    tellsVersion: true,
    more: 'e:code r:program I:program C:folder n! p! i!',
    operands: ['script', 'reads'],
    fromInput: 'code',
  }),
  php: runs({
    tellsVersion: true,
    more: 'r:code run:code B:code R:code E:code d:program c:program f:reads S:text t:folder l!',
    operands: ['script', 'reads'],
    fromInput: 'code',
  }),
  ...sameForNames('lua luajit', runs({ more: 'e:code l:program', operands: ['script', 'reads'], fromInput: 'code' })),
  ...sameForNames(
    'R Rscript julia elixir iex erl escript ghci runghc runhaskell guile racket scheme sbcl clj clojure groovy scala kotlin kotlinc swift tclsh wish pwsh powershell octave raku crystal nim dart zig ocaml java jshell',
    runs({
      more: 'e:code eval:code c:code command:code Command:code EncodedCommand:code jar:reads cp:reads classpath:reads',
      operands: ['script', 'reads'],
      fromInput: 'code',
    }),
  ),
  ...sameForNames(
    'gcc g++ cc c++ clang clang++ ld rustc javac tcc nasm as gfortran ghc',
    runs({
      more: 'o:writes wrapper:program fplugin:program I:reads L:reads D:text l:value std:value d:writes B:program specs:program',
      operands: ['reads'],
    }),
  ),
  ...sameForNames(
    'cmake',
    runs({
      more: 'P:program E:program C:program D:text B:writes S:reads G:text build:folder install:folder t:value target:value j:value toolchain:program',
      operands: ['reads'],
    }),
  ),
  ...sameForNames(
    'meson ninja bazel bazelisk buck2 pants scons waf autoconf automake autoreconf configure',
    runs({ finds: true, more: 'C:folder f:reads', operands: ['value'] }),
  ),
  ...sameForNames(
    'make gmake',
    runs({
      finds: true,
      options: {
        letters: 'ksBinw',
        joined: 'j',
        long: 'jobs? keep-going silent quiet always-make ignore-errors just-print dry-run recon print-directory no-print-directory output-sync?',
        operand: (operand) => /^[\w.%/-]+$/u.test(operand),
      },
      more: 'eval:code f:reads file:reads makefile:reads C:folder directory:folder I:reads include-dir:reads o:value W:value j:value l:value',
      operands: ['value'],
      findEffects: ({ operands }: ParsedArguments) => [
        ...operands
          .filter((word) => /^(?:SHELL|MAKEFLAGS|\.SHELLFLAGS)=/u.test(word ?? ''))
          .map(() => effect('unseen-program', 'sets the shell that make uses')),
        ...operands
          .filter((word) => /^(?:\w+[-_.])?(?:publish|deploy|release|upload|push)(?:[-_.]\w+)?$/iu.test(word ?? ''))
          .map((word) => effect('publishes', `runs “${word ?? ''}”, which publishes by its name`)),
      ],
    } satisfies Partial<Program>),
  ),
  ...sameForNames(
    'just task rake invoke inv nox tox mise grunt gulp jake moon turbo nx lerna lage rush wireit',
    runs({
      finds: true,
      anyOption: true,
      more: 'f:reads justfile:reads d:folder working-directory:folder taskfile:reads',
      operands: ['value'],
      findEffects: ({ operands }: ParsedArguments) =>
        operands
          .filter((word) => /^(?:publish|deploy|release|upload|push)(?:[-:_.]\w+)?$/iu.test(word ?? ''))
          .map((word) => effect('publishes', `runs “${word ?? ''}”, which publishes by its name`)),
    }),
  ),
  tsc: {
    nature: 'runs',
    tellsVersion: true,
    anyOption: true,
    options: {
      long: 'noEmit pretty? project= build incremental? watch? strict? version',
      letters: 'bw',
      valued: 'p',
    },
    more: 'outDir:writes outFile:writes declarationDir:writes tsBuildInfoFile:writes rootDir:reads p:reads project:reads',
    operands: ['reads'],
  },
  ...sameForNames(
    'eslint oxlint prettier biome jest vitest mocha ava tap jasmine karma cypress playwright webpack rollup vite esbuild parcel tsup turbopack next nuxt astro remix svelte-check vue-tsc vue-cli-service ng react-scripts storybook babel swc tailwindcss postcss sass less stylelint knip depcheck madge dependency-cruiser depcruise commitlint husky lint-staged nodemon concurrently wait-on serve http-server json-server live-server npm-run-all run-s run-p rimraf cpx cross-env dotenv c8 nyc tsd typedoc api-extractor rspack rsbuild electron-vite electron-builder',
    tool({ operands: ['reads'] }),
  ),
  ...sameForNames(
    'pytest py.test mypy ruff black isort flake8 pylint pyright bandit coverage sphinx-build mkdocs jupyter ipython unittest nose2 hypothesis django-admin flask gunicorn uvicorn celery alembic pre-commit yapf autopep8 pyflakes vulture pycodestyle cython pyinstaller maturin',
    tool({
      operands: ['reads'],
      more: 'c:reads k:text m:text p:program o:text rootdir:reads config-file:reads output:writes',
    }),
  ),
  ...sameForNames('hatch pdm rye pixi nix nix-shell direnv asdf devbox', tool({ operands: ['reads'], finds: true })),
  ...sameForNames(
    'rubocop rspec rails rackup puma cucumber minitest standardrb brakeman phpunit phpstan psalm php-cs-fixer pint pest artisan phpcs phpcbf',
    tool({ operands: ['reads'] }),
  ),
  ...sameForNames(
    'golangci-lint gofmt goimports staticcheck govulncheck delve dlv air mockgen protoc buf rustfmt clippy-driver wasm-pack trunk cbindgen bindgen cross ktlint detekt checkstyle swiftlint swiftformat clang-format clang-tidy cppcheck valgrind ctest gtest hadolint shellcheck shfmt yamllint markdownlint markdownlint-cli2 actionlint tflint checkov semgrep gitleaks trivy hyperfine ab wrk k6 hugo jekyll zola mdbook asciidoctor doxygen dot plantuml mermaid protoc-gen-go sqlfluff dbt',
    tool({ operands: ['reads'], more: 'o:writes output:writes w!' }),
  ),
  ...sameForNames('expect', runs({ more: 'c:code', operands: ['script', 'reads'], fromInput: 'code' })),
};
