/** A value in the settings of these programs, which may be a placeholder for something else. */
export type PlaceholderValue =
  | { readonly kind: 'text'; readonly text: string }
  /** The whole value is a variable of the environment. */
  | { readonly kind: 'variable'; readonly name: string }
  /** The whole value is what VS Code would ask for. */
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'unknown'; readonly what: string };

const WHOLE_VARIABLE = /^(?:\$\{(?:env:)?(\w+)(?::-[^{}]*)?\}|\$(\w+)|\{env:(\w+)\})$/u;
const WHOLE_INPUT = /^\$\{input:([\w.-]+)\}$/u;
const HOME_PLACEHOLDER = /\$\{(?:userHome|HOME|env:HOME)\}|\$HOME\b|^~(?=\/|$)/gu;
const ANY_PLACEHOLDER = /\$\{[^{}]*\}|\{env:\w+\}|\{file:[^{}]*\}/u;

export function readPlaceholder(value: string, home: string): PlaceholderValue {
  const text = value.replaceAll(HOME_PLACEHOLDER, () => home);
  const variable = WHOLE_VARIABLE.exec(text);
  if (variable !== null) return { kind: 'variable', name: variable[1] ?? variable[2] ?? variable[3] ?? '' };
  const input = WHOLE_INPUT.exec(text)?.[1];
  if (input !== undefined) return { kind: 'input', name: input };
  const left = ANY_PLACEHOLDER.exec(text)?.[0];
  return left === undefined ? { kind: 'text', text } : { kind: 'unknown', what: left };
}
