import type { Node } from 'web-tree-sitter';
import type { Argument } from './invocation.js';

/** The value of an option, and where it stands; null where only running the command would tell. */
export interface OptionValue {
  readonly option: string;
  readonly text: string | null;
  readonly node: Node;
}

/**
 * Collects the values of these options, however they are written: `-c x`, `-cx`, `-ac x`, `--command x`, `--command=x`,
 * and `--comm=x`, since getopt takes the beginning of a name for the whole. `-name x` where names have one dash.
 */
export function optionValues(
  args: readonly Argument[],
  letters: string,
  names: readonly string[],
): readonly OptionValue[] {
  const found: OptionValue[] = [];
  for (const [index, { node, literal }] of args.entries()) {
    // Of what is known only when it runs, the beginning is often plain: `--command=$X`.
    const text = literal ?? node.text.replaceAll(/["']/gu, '');
    if (text === '--') break;
    const next = args[index + 1];
    const following = (option: string): OptionValue => ({
      option,
      text: next === undefined ? null : next.literal,
      node: next?.node ?? node,
    });
    const [, dashes = '', name = '', value] = /^(--?)([A-Za-z][\w-]*)(?:=([\s\S]*))?$/u.exec(text) ?? [];
    const named = names.find((each) =>
      dashes === '--' ? isBeginningOf(name, each) : dashes === '-' && each === `-${name}`,
    );
    if (named !== undefined) {
      const option = `${dashes}${name}`;
      found.push(value === undefined ? following(option) : { option, text: literal === null ? null : value, node });
      continue;
    }
    const [, cluster = ''] = /^-([A-Za-z][\s\S]*)$/u.exec(text) ?? [];
    const at = Array.from(cluster).findIndex((letter) => letters.includes(letter));
    // After something that is no letter it is a value, not a letter of its own.
    if (at === -1 || !/^[A-Za-z0-9]*$/u.test(cluster.slice(0, at))) continue;
    const rest = cluster.slice(at + 1).replace(/^=/u, '');
    const option = `-${cluster[at] ?? ''}`;
    found.push(rest === '' ? following(option) : { option, text: literal === null ? null : rest, node });
  }
  return found;
}

/** `--upl` is `--upload-pack`; a single letter after two dashes is too little to say so. */
const isBeginningOf = (name: string, whole: string): boolean =>
  !whole.startsWith('-') && (name === whole || (name.length >= 3 && whole.startsWith(name)));
