import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Elsewhere extends Disposable {
  readonly address: string;
  readonly port: number;
  /** How often somebody came so far. */
  readonly hits: () => number;
}

/**
 * Another machine, in small: a server in a network of its own, joined to this one by a cable. Only root can lay one.
 */
export async function openElsewhere(text: string): Promise<Elsewhere> {
  const name = `gh${process.pid % 100_000}${(opened += 1)}`;
  const third = (process.pid + opened) % 64;
  const [here, address] = [`198.51.100.${third * 4 + 1}`, `198.51.100.${third * 4 + 2}`];
  const ip = (...words: string[]) => execFileSync('ip', words);
  ip('netns', 'add', name);
  ip('link', 'add', `${name}a`, 'type', 'veth', 'peer', 'name', `${name}b`, 'netns', name);
  ip('addr', 'add', `${here}/30`, 'dev', `${name}a`);
  ip('link', 'set', `${name}a`, 'up');
  ip('-n', name, 'addr', 'add', `${address}/30`, 'dev', `${name}b`);
  ip('-n', name, 'link', 'set', `${name}b`, 'up');
  const script = `require("node:http").createServer((q, r) => { process.stdout.write("hit\\n"); r.end(${JSON.stringify(text)}) }).listen(8080, "${address}", () => process.stdout.write("ready\\n"))`;
  const server = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', script], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  while (!said.includes('ready\n')) await once(server.stdout, 'data');
  return {
    address,
    port: 8080,
    hits: () => said.split('hit\n').length - 1,
    [Symbol.dispose]() {
      server.kill('SIGKILL');
      ip('netns', 'del', name);
    },
  };
}

let opened = 0;
