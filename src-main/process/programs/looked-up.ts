import { basename } from 'node:path';

/** They find what they run when they are started, by settings of a folder or in a registry. */
const RUNNERS: ReadonlySet<string> = new Set(
  'npm pnpm yarn bunx pnpx make just task uv poetry pipenv hatch pdm rye cargo go gradle mvn sbt mix bundle rake docker podman nix mise asdf direnv'.split(
    ' ',
  ),
);
const SHELL = /^(?:ba|da|z|k|fi)?sh$/u;
const PYTHON = /^(?:python|pypy)[\d.]*$/u;

/** Why what a command runs is known only when it runs; null where its words name it. `isOwnPython`: its modules are the program’s own. */
export function looksUp(command: string, args: readonly string[], isOwnPython: boolean): string | null {
  const name = basename(command);
  // A program that it names is what is started.
  if (name === 'env') {
    const [next, ...rest] = args.filter((arg) => !arg.startsWith('-') && !/^\w+=/u.test(arg));
    return next === undefined ? null : looksUp(next, rest, false);
  }
  const first = args.find((arg) => !arg.startsWith('-'));
  if (RUNNERS.has(name)) return `“${[name, first].join(' ').trim()}” finds what it runs when it starts.`;
  if (PYTHON.test(name) && !isOwnPython && args.some((arg) => /^-[A-Za-z]*m/u.test(arg)))
    return `“${name} -m” finds what it runs when it starts.`;
  if (SHELL.test(name) && args.some((arg) => /^-[a-z]*c$/u.test(arg)))
    return `What the text of “${name} -c” runs is not looked at.`;
  const address = args.find((arg) => /^(?:https?|npm|jsr|git\+\w+):/iu.test(arg));
  return /^(?:deno|bun)$/u.test(name) && address !== undefined
    ? `“${name} ${address}” fetches what it runs when it starts.`
    : null;
}
