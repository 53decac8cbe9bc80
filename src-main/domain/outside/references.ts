/** A value as settings have it: as it is, or a secret by its name with what stands before it (`Bearer secret:github`). */
export type SettingValue =
  | { readonly kind: 'plain'; readonly value: string }
  | { readonly kind: 'reference'; readonly prefix: string; readonly from: string; readonly name: string };

/** A reference is the last word of its value. What only looks like one would go out as it stands, so it is none of either: null. */
export function readSettingValue(value: string): SettingValue | null {
  const [, prefix = '', from, name] = /^(.*\s)?((?:secret|env):([\w.:/@-]+))$/su.exec(value) ?? [];
  const isNamed = from !== undefined && name !== undefined;
  if (HOLDS_REFERENCE.test(isNamed ? prefix : value)) return null;
  return isNamed ? { kind: 'reference', prefix, from, name } : { kind: 'plain', value };
}

const HOLDS_REFERENCE = /(?:^|\s)(?:secret|env):/u;
