import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { splitCommandLine } from '#contract/vocabulary/text/command-line.js';
import type { ParsedJson } from '#contract/vocabulary/text/json-text.js';
import type { FoundServer } from './find-servers.js';

const SHELL_SYNTAX = /[|;&<>`\n]|\$\(/u;
/** A program that starts servers, or a path to one: else it is only a sentence. */
const SERVER_PROGRAM =
  /^(?:(?:npx|bunx|pnpx|uvx|pipx|node|python3?|deno|docker|podman|uv|bun|claude)(?:\.exe|\.cmd)?|(?:~|\.{0,2})\/\S+|[A-Za-z]:\\\S+)$/u;

/**
 * Reads one line that is no settings: a command, an address, or what is typed for Claude Code. Null where it is
 * neither.
 */
export function readCommandLine(text: string): ParsedJson<FoundServer> | null {
  if (/^https?:\/\/\S+$/iu.test(text)) return { ok: true, value: { called: null, entry: { url: text } } };
  const line = text.replaceAll(/\\\r?\n\s*/gu, ' ').replace(/^\$\s+/u, '');
  const first = /^\S+/u.exec(line)?.[0] ?? '';
  if (!SERVER_PROGRAM.test(first) || /^[ \t]*\w+:[ \t]*$/mu.test(line)) return null;
  if (SHELL_SYNTAX.test(line)) {
    return {
      ok: false,
      message: 'This is a line for a shell. A source is one program with its arguments, without |, ;, &, < and >.',
    };
  }
  const words = splitCommandLine(line);
  if (words[0] === 'claude') return words[1] === 'mcp' ? readClaudeCommand(words.slice(2)) : null;
  return { ok: true, value: { called: null, entry: toLaunchEntry(words) } };
}

const toLaunchEntry = ([command = '', ...args]: readonly string[]): JsonObject =>
  args.length === 0 ? { command } : { command, args };

/** `claude mcp add [options] <name> [-- <command…> | <address>]` */
function readClaudeCommand([verb, ...rest]: readonly string[]): ParsedJson<FoundServer> {
  if (verb !== 'add') return { ok: false, message: 'Of “claude mcp”, only “add” names a server.' };
  const given: string[] = [];
  const [env, headers]: Record<string, Json>[] = [{}, {}];
  const until = rest.indexOf('--');
  const options = until === -1 ? rest : rest.slice(0, until);
  for (let at = 0; at < options.length; at += 1) {
    const word = options[at] ?? '';
    if (!word.startsWith('-')) given.push(word);
    else {
      at += 1;
      const value = options[at] ?? '';
      if (word === '-e' || word === '--env') putPair(env, value, '=');
      if (word === '-H' || word === '--header') putPair(headers, value, ':');
    }
  }
  const [called = null, ...words] = given;
  const started = until === -1 ? words : rest.slice(until + 1);
  const isRemote = /^https?:/iu.test(started[0] ?? '');
  const entry: JsonObject = isRemote
    ? { url: started[0] ?? '', headers: headers ?? {} }
    : { ...toLaunchEntry(started), env: env ?? {} };
  return { ok: true, value: { called, entry } };
}

function putPair(table: Record<string, Json> | undefined, pair: string, between: string): void {
  const at = pair.indexOf(between);
  if (table !== undefined && at > 0) table[pair.slice(0, at)] = pair.slice(at + 1).trim();
}
