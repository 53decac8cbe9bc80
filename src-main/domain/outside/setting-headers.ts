import type { OutsideKey } from '../ports/outside.js';
import { SourceProblem } from '../ports/sources/source.js';
import { parseSettingValue } from './references.js';

/** The headers of a source's settings: plain values, and references to secrets. */
export interface SettingHeaders {
  /** The names, in lower case. */
  readonly names: ReadonlySet<string>;
  readonly plain: Readonly<Record<string, string>>;
  /** The names of the secrets, for the person. */
  readonly secrets: readonly string[];
  readonly keysFor: (address: string) => readonly OutsideKey[];
}

/** Reads the headers. Throws a `SourceProblem` for a value that is neither. */
export function parseSettingHeaders(asker: string, headers: Readonly<Record<string, string>>): SettingHeaders {
  const plain: Record<string, string> = {};
  const keys: Omit<OutsideKey, 'boundTo' | 'asker'>[] = [];
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name) || /[^\t\u0020-\u007e\u0080-\u00ff]/u.test(value))
      throw new SourceProblem('refused', `The header ${JSON.stringify(name)} has characters that no header can hold.`);
    const read = parseSettingValue(value);
    const header = name.toLowerCase();
    if (read === null)
      throw new SourceProblem(
        'refused',
        `The header ${name} names a secret in a way that can’t be read: write secret:<name> at its end.`,
      );
    if (read.kind === 'plain') plain[header] = read.value;
    else {
      keys.push({ header, prefix: read.prefix, from: read.from });
      secrets.push(read.name);
    }
  }
  return {
    names: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
    plain,
    secrets,
    keysFor: (boundTo) => keys.map((key) => ({ ...key, boundTo, asker })),
  };
}
