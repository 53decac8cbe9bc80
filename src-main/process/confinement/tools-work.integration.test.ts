import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestRunner } from '../process.test-support.js';
import { isExecutable } from '../environment/system-files.js';

/**
 * People's everyday work with the tools on this machine goes on in a confined command, with the person's own home
 * folder.
 */
const WORK: readonly (readonly [tool: string, command: string, says: RegExp])[] = [
  [
    'git',
    'git init -q && echo x >a && git add a && git -c user.name=n -c user.email=e@x commit -qm m && git log --format=%s && git clone -q . c && ls c',
    /^m\na\n$/u,
  ],
  [
    'node',
    // A child with a channel, a socket in the temporary folder, threads, addresses, and a server of its own.
    `node -e '
      const { fork } = require("node:child_process"); const net = require("node:net"); const { Worker } = require("node:worker_threads");
      if (process.send) { process.send("child"); process.exit() }
      require("node:os").networkInterfaces();
      process.argv[1] ??= ""; require("node:fs").writeFileSync("c.js", "process.send(1)");
      fork("./c.js").once("message", () => {
        const s = net.createServer((c) => c.end("unix")).listen("/tmp/s.sock", () => net.connect("/tmp/s.sock").once("data", (d) => {
          s.close();
          new Worker("require(\\"node:worker_threads\\").parentPort.postMessage(1)", { eval: true }).once("message", () => {
            const h = require("node:http").createServer((q, r) => r.end("http")).listen(0, "127.0.0.1", () =>
              fetch("http://127.0.0.1:" + h.address().port).then((r) => r.text()).then((t) => { h.close(); console.log(d + " " + t) })) }) })) })'`,
    /^unix http\n$/u,
  ],
  [
    'npm',
    `mkdir dep && echo '{"name":"dep","version":"1.0.0"}' >dep/package.json && echo '{"name":"p","version":"1.0.0","scripts":{"test":"echo tested"},"dependencies":{"dep":"file:./dep"}}' >package.json && npm install --offline --no-audit --no-fund --silent && ls node_modules && npm test --silent`,
    /^dep\ntested\n$/u,
  ],
  [
    'python3',
    `python3 -c 'import ssl, sqlite3, socket, multiprocessing as m, tempfile; p = m.get_context("fork").Pool(2); print(sum(p.map(abs, [1, -2]))); q = m.Manager().list([1]); print(len(q)); socket.getaddrinfo("localhost", 80); a, b = socket.socketpair()'`,
    /^3\n1\n$/u,
  ],
  ['pip', 'pip --version && python3 -m venv --without-pip v && v/bin/python -c "print(1)"', /^pip .*\n1\n$/u],
  ['cargo', 'cargo init -q --name p --vcs none . && cargo run -q --offline', /^Hello, world!\n$/u],
  ['gcc', 'echo "int main(){return 0;}" >m.c && gcc m.c -o m && ./m && echo built', /^built\n$/u],
  ['make', 'printf "a: b\\n\\techo made\\nb:\\n" >Makefile && make -sj4', /^made\n$/u],
  ['strace', 'strace -qq -f -e trace=none true 2>&1; echo traced', /^traced\n$/u],
  ['gdb', 'gdb -batch -ex run -ex quit /bin/true 2>&1 | grep -c "exited normally"', /^1\n$/u],
];

const folders = (process.env['PATH'] ?? '').split(':');
const isHere = (tool: string): boolean => folders.some((folder) => isExecutable(join(folder, tool)));

describe('confined, the tools of this machine work', () => {
  it.each(WORK.filter(([tool]) => isHere(tool)))(
    '%s',
    async (_tool, command, says) => {
      const environment = { PATH: process.env['PATH'] ?? '', HOME: homedir(), LANG: 'C.UTF-8' };
      await using runner = await openTestRunner(environment);
      const { stdout, stderr, ending } = await runner.run(command, { settings: { confinement: 'required' } });
      expect({ stdout, ending }, stderr).toEqual({
        stdout: expect.stringMatching(says) as string,
        ending: { kind: 'exited', code: 0 },
      });
    },
    120_000,
  );

  it('node and its npm where nvm keeps them, called as nvm has them called', async () => {
    const environment: Record<string, string> = { LANG: 'C.UTF-8' };
    await using runner = await openTestRunner(environment);
    const home = runner.outside;
    const version = join(home, '.nvm/versions/node/v99.0.0');
    mkdirSync(join(version, 'bin'), { recursive: true });
    const node = realpathSync(folders.map((folder) => join(folder, 'node')).find(isExecutable) ?? '');
    cpSync(node, join(version, 'bin/node'));
    const npm = realpathSync(folders.map((folder) => join(folder, 'npm')).find(isExecutable) ?? '');
    cpSync(dirname(dirname(npm)), join(version, 'lib/node_modules/npm'), { recursive: true, dereference: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(version, 'bin/npm'));
    mkdirSync(join(home, '.nvm/alias'));
    symlinkSync('versions/node/v99.0.0', join(home, '.nvm/current'));
    writeFileSync(join(home, '.npmrc'), '//example.org/:_authToken=planted\n');
    Object.assign(environment, { HOME: home, PATH: `${home}/.nvm/current/bin:/usr/bin:/bin` });
    const { stdout, stderr } = await runner.run(
      'command -v node; command -v npm; node -p 1+1; npm --version | grep -c .; cat ~/.npmrc',
      { settings: { confinement: 'required' } },
    );
    expect(stdout, stderr).toBe(`${home}/.nvm/current/bin/node\n${home}/.nvm/current/bin/npm\n2\n1\n`);
  });
});
