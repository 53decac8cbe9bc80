import type { Node } from 'web-tree-sitter';
import { resolveLiteral } from './words.js';

/** The names of all commands in a tree, wherever they stand; what is known only when it runs is left out. */
export function listPrograms(root: Node): readonly string[] {
  return root.descendantsOfType('command_name').flatMap((name) => (name === null ? [] : (resolveLiteral(name) ?? [])));
}
