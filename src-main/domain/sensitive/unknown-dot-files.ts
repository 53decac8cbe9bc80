import { isMadeFolder } from './made-folders.js';
import { foldPath } from './name-folding.js';
import { isMadeByTools, findPlaces } from './sensitive-places.js';

/** Settings of checkers, formatters and the like, lists of what is left out, and marks: a person reads them as such. */
const HARMLESS =
  /^\.(?:[\w-]*ignore|[\w-]*keep|editorconfig|prettierrc|eslintrc|stylelintrc|babelrc|swcrc|browserslistrc|nvmrc|node-version|python-version|ruby-version|java-version|go-version|terraform-version|mailmap|markdownlint(?:rc)?|markdownlint-cli2|commitlintrc|lintstagedrc|releaserc|nycrc|mocharc|c8rc|swiftlint|swiftformat|rubocop|rubocop_todo|rspec|pylintrc|flake8|isort|coveragerc|codecov|coveralls|clang-format|clang-tidy|clangd|rustfmt|golangci|yamllint|jshintrc|jscsrc|htaccess|htpasswd|well-known|nojekyll|github|gitlab|gitea|forgejo|changeset|changes|storybook|all-contributorsrc|cspell|hadolint|shellcheckrc|ansible-lint|sequelizerc|size-limit|remarkrc|textlintrc|solhint|sqlfluff|tflint|env|git-blame-ignore-revs|gitmessage|dockerignore|sentryclirc|simplecov|jsbeautifyrc|csslintrc|htmlhintrc|htmlvalidate|ecrc|typos|oxlintrc|oxfmtrc|dprint|biome|taprc|madgerc|depcheckrc|knip|dependency-cruiser|nextflow|luacheckrc|stylua|scalafmt|scalafix|formatter|credo|yardopts|document|hgignore|hgtags|gitpod-ignore|pre-commit-hooks|license|licenses|vale|lycheeignore|lychee|cirrus|mergify|kodiak|renovaterc|dependabot|sourcery|deepsource|codeclimate|eleventy|worktrees?)(?:\..*)?$/u;
/** Caches, outputs, and what programs keep while they work. */
const OUTPUTS =
  /^\.(?:next|nuxt|output|svelte-kit|turbo|parcel-cache|vite|vitest|cache|[\w-]*[-_.]?cache|pytest_cache|coverage(?:\..*)?|nyc_output|gradle|angular|astro|docusaurus|dart_tool|flutter-plugins(?:-dependencies)?|expo|terraform(?:\..*)?|serverless|wrangler|vercel|netlify|firebase|ipynb_checkpoints|hypothesis|eggs|venv|virtualenv|bundle|nx|rollup\.cache|rpt2_cache|ds_store|directory|fseventsd|trash(?:[-_.].*)?|hg|svn|jj|bzr|m2|ivy2|sbt|bloop|metals|stack-work|cabal-sandbox|lake|elixir_ls|fetch|hex|mix|pnp\..*|pnpm-store|pnpm-debug\.log|yarn|package-lock\.json|modules\.yaml|deps|libs|build|swiftpm|cxx|externalnativebuild|kotlin|fake|paket|ionide|phpunit\.result\.cache|phpunit|psalm|scannerwork|sonarlint|te?mp(?:[-_.].*)?|bench|benchmarks|history|zig-cache|nimcache|crates\..*|rustc_info\.json|fingerprint|cargo-lock|cargo-ok|tsbuildinfo|wireit|moon|rush|heft|umi|dumi|ice|quasar|output|out|dist|target|obj|objs|bin|lib|tests?|testmondata|mypy|ruff|pyre|pytype|pdm-build|pdm-python|pixi|conda|ropeproject|spyproject|jupyter|ipython_history|[\w-]*_history|nfs.*|fuse_hidden.*|goutputstream.*|~lock.*|#.*|.*\.(?:sw[a-p]|tmp|bak|orig|log|lock|pid|sock|stamp|timestamp|d|cmd|o))$/u;

/**
 * A dot file or dot folder that no list knows: some program may obey it. Gives the outermost of a path; null where none is one,
 * or a place that the table knows holds it. What tools made is nobody's to obey.
 */
export function findUnknownDot(relative: string): string | null {
  if (!relative.includes('.') || findPlaces(relative).length > 0 || isMadeFolder(relative)) return null;
  const names = relative.split('/');
  if (names.some(isMadeByTools)) return null;
  const at = names.findIndex((name) => isUnknown(foldPath(name)));
  return at === -1 ? null : names.slice(0, at + 1).join('/');
}

export const MAY_STEER = 'it may steer a program that Gatehouse doesn’t know';

const isUnknown = (name: string): boolean =>
  name.length > 1 && name.startsWith('.') && name !== '..' && !HARMLESS.test(name) && !OUTPUTS.test(name);

/** Whether a name alone may be an unknown dot file, before its place is checked. */
export const mayBeUnknownDot = (name: string): boolean => name.startsWith('.') && isUnknown(foldPath(name));
