import { spawn } from 'node:child_process';

/** Runs a program and waits. `quiet` keeps what it prints and gives it back; otherwise it goes straight through. */
export function run(command, args, { quiet = false, timeoutMs = 0, ...options } = {}) {
  return new Promise((resolvePromise) => {
    const child = spawn(command, args, { stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit', ...options });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const timer = timeoutMs > 0 ? setTimeout(() => child.kill('SIGKILL'), timeoutMs) : undefined;
    child.on('error', (error) => {
      clearTimeout(timer);
      resolvePromise({ code: 127, output: error.message });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolvePromise({ code: code ?? 1, signal, output });
    });
  });
}
