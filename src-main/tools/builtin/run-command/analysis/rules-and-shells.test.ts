import { describe, expect, it } from 'vitest';
import { isCovered, reader } from './rules.test-support.js';

const NPM = [{ command: 'npm test' }, { prefix: 'npm run' }, { prefix: 'npm test' }] as const;

/** Commands that ran something that no rule was for, in one shell or another. */
const FOOLED: readonly string[] = [
  "npm test; [ x || sh -c 'anything' ]",
  "npm test; [[ x || sh -c 'anything' ]]",
  "npm test; [ x & sh -c 'anything' ]",
  "npm test; [ x\nsh -c 'anything' ]",
  'npm test; [ x || rm -rf src ]',
  'npm test; [ a > src/index.ts ]',
  'npm test; ((1 | sh - x))',
  'npm run x \\\r\ntouch pwned',
  "npm run x $'a\\'; touch pwned #'",
  'npm run x $[1 | sh = x ]',
  'npm run == 1 | touch pwned ]',
  'npm run =~ a ; touch pwned x esac ]]',
];

/** And what else is not read alike everywhere, or not at all. */
const NOT_UNDERSTOOD: readonly string[] = [
  'npm test\r',
  'npm test\r\nnpm test',
  'npm test\u{b}x',
  'npm test\u{a0}x',
  'npm run $X',
  'npm run ${X}',
  'npm run "$X"',
  'npm run $(id)',
  'npm run `id`',
  'npm run "`id`"',
  'npm run *',
  'npm run a?',
  'npm run [a]',
  'npm run ~/x',
  'npm run x~',
  'npm run {a,b}',
  'npm run $((1))',
  'npm run $"x"',
  'npm run x # and more',
  'npm run x\\ y',
  'npm run \\x',
  'npm run "a\\\nb"',
  'npm run x \\\ntouch pwned',
  "npm run 'x",
  'npm run "x',
  'npm run <(id)',
  'npm test < in',
  'npm test > out',
  'npm test >> out',
  'npm test >| /dev/null',
  'npm test &> /dev/null',
  'npm test >& /dev/null',
  'npm test 2>&1 x',
  'npm test 3>&1',
  'npm test 2>&-',
  'npm test >/dev/null/x',
  'npm test 2>/dev/nullx',
  'npm test <<E\nx\nE',
  'npm test <<< x',
  'npm test &',
  'npm test |& cat',
  'npm test & npm test',
  'npm test ;; npm test',
  'npm test &&',
  '| npm test',
  '! npm test',
  '(npm test)',
  '{ npm test; }',
  'if npm test; then npm test; fi',
  'while npm test; do npm test; done',
  'npm() { npm test; }',
  'function npm { npm test; }',
  'coproc npm test',
  'time',
  'npm test | time',
  'time -p npm test',
  'time -o out npm test',
  'time X=1 npm test',
  'time CI=1 npm test',
  'time time npm test',
  'time cd sub && npm test',
  'time { npm test; }',
  'time ! npm test',
  'time >/dev/null npm test',
  "'time' npm test",
  't"im"e npm test',
  'case x in x) npm test;; esac',
  'PATH=. npm test',
  'X=1 npm test',
  'X=1',
  'CI=1',
  'CI=$X npm test',
  'CI+=1 npm test',
  'CI[0]=1 npm test',
  'a=(npm test)',
  'eval npm test',
  'exec npm test',
  '. npm test',
  'command npm test',
  'trap "npm test" EXIT',
  'alias npm=x\nnpm test',
  'set -- npm; npm test',
  'cd sub',
  'cd && npm test',
  'cd sub; npm test',
  'cd sub\nnpm test',
  'cd sub || npm test',
  'cd sub | npm test',
  'cd sub & npm test',
  'cd sub && npm test; npm test',
  'cd sub && npm test\nnpm test',
  'cd sub && npm test || npm test',
  'cd sub && cd .. && npm test',
  'cd sub && cd a && npm test',
  'npm test && cd sub && npm test',
  'cd sub/.. && npm test',
  'cd .. && npm test',
  'cd - && npm test',
  'cd -P sub && npm test',
  'cd -- sub && npm test',
  'cd +1 && npm test',
  'cd ~ && npm test',
  "cd '~' && npm test",
  'cd "" && npm test',
  'cd a b && npm test',
  'cd $X && npm test',
  'cd "$X" && npm test',
  'cd $(npm test) && npm test',
  'cd su* && npm test',
  'cd {a,b} && npm test',
  '(cd sub && npm test)',
  '(cd sub) && npm test',
  '{ cd sub; } && npm test',
  'cd sub >/dev/null && npm test',
  'CI=1 cd sub && npm test',
  'CDPATH=/tmp cd sub && npm test',
  'CDPATH=/tmp; cd sub && npm test',
  'export CDPATH=/tmp && cd sub && npm test',
  "'cd' sub && npm test",
  'command cd sub && npm test',
  'pushd sub && npm test',
  'chdir sub && npm test',
  'cd() { npm test; } && cd sub && npm test',
  'export CI=1; npm test',
  '"" npm test',
  'npm test; ""',
  '=npm test',
  '-x',
  '+x | npm test',
  '+x\nnpm test',
  'npm run =x',
  'npm test @(a|b)',
  'npm test -- !(a)',
  'npm test\u{200b}',
  'npm t\u{435}st',
  'npm test;'.repeat(501),
];

describe('no rule covers', () => {
  it.each(FOOLED)('%j', async (command) => {
    expect(await isCovered(command, ...NPM, { command })).toBe(false);
    const { findings } = await reader.read(command, ['/w']);
    expect(findings.filter(({ severity }) => severity === 'danger').length, 'nothing on the sheet').toBeGreaterThan(0);
  });

  it.each(NOT_UNDERSTOOD)('%j', async (command) => {
    expect(await isCovered(command, ...NPM, { command })).toBe(false);
  });

  it('takes a program by its name, not by words that look like one', async () => {
    expect(await isCovered('"npm test"', ...NPM)).toBe(false);
    expect(await isCovered("npm 'run' x", ...NPM)).toBe(true);
  });

  it('says what is not understood', async () => {
    const why = async (command: string) => (await reader.analyze(command)).obstacles[0];
    expect(await why('npm run *')).toBe('Its words can’t be read with certainty: a glob.');
    expect(await why('npm test; [ x ]')).toBe('Its words can’t be read with certainty: a glob or a test.');
    expect(await why('X=1 npm test')).toBe('Its words can’t be read with certainty: a variable that is set (X).');
  });
});

/** Commands that a rule for harmless first words let run, or write. */
const REACHED: readonly (readonly [prefix: string, command: string])[] = [
  ['git log', 'git log --output=FILE'],
  ['git log', 'git log --output FILE'],
  ['git log', 'git log --outp=FILE'],
  ['git show', 'git show --output=FILE'],
  ['git diff', 'git diff --output=FILE'],
  ['git diff', 'git diff --ext-diff'],
  ['git diff', 'git diff --no-index a b --output=x'],
  ['git grep', "git grep -O'cmd' x"],
  ['git grep', 'git grep -nOcmd x'],
  ['git grep', 'git grep --open-files-in-pager=cmd x'],
  ['git grep', 'git grep --open=cmd x'],
  ['git fetch', "git fetch --upload-pack='cmd' origin"],
  ['git fetch', "git fetch --upload-p='cmd' origin"],
  ['git fetch', "git fetch 'ext::sh -c x'"],
  ['git fetch', 'git fetch ../evil'],
  ['git ls-remote', "git ls-remote --upload-pack='cmd' origin"],
  ['git', 'git -c core.pager=x log'],
  ['git', 'git --exec-path=x log'],
  ['git', 'git -C .. log'],
  ['git', 'git checkout .'],
  ['git commit', 'git commit --amend'],
  ['git commit', 'git commit -F x'],
  ['git log', 'git log --format=%GK'],
  ['sort', 'sort -o out in'],
  ['sort', 'sort -uo out in'],
  ['sort', 'sort --output=out in'],
  ['sort', 'sort --outp=out in'],
  ['sort', 'sort --compress-program=x in'],
  ['find', 'find . -fprint0 out'],
  ['find', 'find . -fprintf out x'],
  ['find', "find . -exec x ';'"],
  ['find', 'find . -delete'],
  ['sed', "sed -n 'w F' in"],
  ['sed -n', "sed -n 'w F' in"],
  ['sed', "sed '1e cmd' in"],
  ['awk', "awk 'BEGIN{system(1)}'"],
  ['tar', 'tar --checkpoint-action=exec=x -tf a'],
  ['tar -tf', 'tar -tf a --to-command=x'],
  ['make', 'make --eval=x'],
  ['make', 'make -f x'],
  ['make', 'make -C x'],
  ['make test', 'make test SHELL=x'],
  ['npm run', 'npm run --script-shell=x y'],
  ['npm run', 'npm run y --script-shell x'],
  ['npm run', 'npm run --script-sh=x y'],
  ['npm test', 'npm test --prefix other'],
  ['npm test', 'npm test -C other'],
  ['npm', 'npm exec x'],
  ['npx', 'npx -c x'],
  ['npx', 'npx anything'],
  ['env', 'env -S x'],
  ['env', 'env x'],
  ['man', 'man -P x y'],
  ['man', 'man -Px y'],
  ['script', 'script -c x'],
  ['curl', 'curl -sd@file x'],
  ['curl', 'curl -o out x'],
  ['wget', 'wget x'],
  ['node', 'node -p x'],
  ['node', 'node x.js'],
  ['python3', 'python3 -c x'],
  ['python3 -m', 'python3 -m x'],
  ['sh', 'sh -c x'],
  ['bash -x', 'bash -x y'],
  ['xargs', 'xargs x'],
  ['timeout 5', 'timeout 5 x'],
  ['uniq', 'uniq in out'],
  ['rg', 'rg --pre=cmd x'],
  ['rg', 'rg -z x'],
  ['cargo test', 'cargo test --config x'],
  ['cargo', 'cargo +x test'],
  ['go test', 'go test -exec x'],
  ['go build', 'go build -toolexec=x'],
  ['jq', 'jq -f x'],
  ['jq', 'jq \'import "x" as y; 1\''],
  ['printf', 'printf -v PATH x'],
  ['tee', 'tee out'],
  ['deno run', 'deno run x'],
  ['bun', 'bun x y'],
  ['bun x', 'bun x y'],
  ['/usr/bin/sort', '/usr/bin/sort -o x'],
];

/** Commands that an agent sends every day. */
const ORDINARY: readonly (readonly [prefix: string, command: string])[] = [
  ['git log', 'git log --oneline -5'],
  ['git log', 'git log -n 5 --stat --since=yesterday -- src'],
  ['git', 'git status --short'],
  ['git', 'git --no-pager diff --cached'],
  ['git diff', 'git diff HEAD^ --name-only'],
  ['git grep', 'git grep -n -i word src'],
  ['git commit', "git commit -am 'a: b'"],
  ['git fetch', 'git fetch --prune origin main'],
  ['npm run', 'npm run build'],
  ['npm run', 'npm run -s lint -- --fix src'],
  ['npm test', 'npm test -- --reporter=dot x'],
  ['npm install', 'npm install -D @types/node@24.1.0'],
  ['pnpm', 'pnpm run x'],
  ['make', 'make -j4 test'],
  ['make', 'make -k all lint'],
  ['sort', 'sort -u -k2 in'],
  ['find', "find src -type f -name '*.ts'"],
  ['ls', 'ls -la --color=never src'],
  ['grep', "grep -rn --include='*.ts' word src"],
  ['rg', "rg -n -g '*.ts' word"],
  ['jq', 'jq -r .name package.json'],
  ['cargo', 'cargo test --release -- --nocapture'],
  ['go test', 'go test -run=X -count=1 ./pkg'],
  ['npx vitest', 'npx vitest run --reporter=dot'],
  ['node scripts/x.js', 'node scripts/x.js --whatever'],
  ['python3 -m pytest', 'python3 -m pytest -q tests'],
  ['echo', 'echo -n whatever'],
  ['tsc', 'tsc --noEmit -p tsconfig.json'],
];

describe('first words', () => {
  it.each(REACHED)('%s does not cover %s', async (prefix, command) => {
    expect(await isCovered(command, { prefix })).toBe(false);
  });
  it.each(ORDINARY)('%s covers %s', async (prefix, command) => {
    expect(await isCovered(command, { prefix }), JSON.stringify(await reader.analyze(command))).toBe(true);
  });
  it('hold for what is given a time', async () => {
    expect(await isCovered('timeout 60 npm test 2>&1 | tail -5', { prefix: 'npm test' })).toBe(true);
    expect(await isCovered('timeout 5m npm run build', { command: 'npm run build' })).toBe(true);
    expect(await isCovered('timeout -s KILL 5 npm test', { prefix: 'npm test' })).toBe(false);
    expect(await isCovered('timeout npm test', { prefix: 'npm test' })).toBe(false);
    expect(await isCovered('timeout 60 timeout 5 npm test', { prefix: 'npm test' })).toBe(false);
  });
  it('hold for what is timed, and for what runs where a cd leads', async () => {
    for (const command of [
      'time npm test',
      'CI=1 time npm test 2>&1 | tail -5',
      'npm run x && time timeout 60 npm test',
      'cd sub && npm test',
      'cd "a b" && npm test && npm run x | grep x\n',
      'cd /w/sub/ && time npm test;',
      'cd . && npm test',
    ])
      expect(await isCovered(command, ...NPM), command).toBe(true);
    expect(await isCovered('time sort -o out in', { prefix: 'sort' })).toBe(false);
    expect(await isCovered('time curl x', ...NPM)).toBe(false);
    expect(await isCovered('cd sub && curl x', ...NPM)).toBe(false);
    expect(await isCovered('cd sub && rm -rf x', { command: 'rm -rf x' })).toBe(false);
    expect(await isCovered('timeout 5 cd sub && npm test', ...NPM)).toBe(false);
    // First words say nothing of where.
    expect(await isCovered('cd sub && npm test', { prefix: 'cd' }, { prefix: 'cd sub' })).toBe(false);
  });
  it('cover themselves, whatever they are', async () => {
    expect(await isCovered('sort -o out in', { prefix: 'sort -o out in' })).toBe(true);
  });
});

it('a rule for the first words of a program that reads covers no option by which it runs or writes', async () => {
  for (const [prefix, command] of [
    ['nm', 'nm --plugin ./x.so a.o'],
    ['nm', 'nm --plug=./x.so a.o'],
    ['objdump', 'objdump --plugin=./x.so -d a.o'],
    ['cloc', "cloc --vcs='sh x.sh' ."],
    ['tree', 'tree -o x'],
    ['tree', 'tree -ao x'],
    ['scc', 'scc --output x'],
  ] as const)
    expect(await isCovered(command, { prefix }), command).toBe(false);
  for (const [prefix, command] of [
    ['nm', 'nm -D a.o'],
    ['cloc', 'cloc --json src'],
    ['tree', 'tree -L 2 src'],
    ['jest', 'jest --coverage'],
  ] as const)
    expect(await isCovered(command, { prefix }), command).toBe(true);
});
