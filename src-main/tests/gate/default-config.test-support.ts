import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import type { Config } from '#contract/vocabulary/config.js';

type Changes = { readonly [Key in keyof Config['tools']]?: Partial<Config['tools'][Key]> | Config['tools'][Key] };

/** The defaults as they are shipped, with some of `[tools]` otherwise. */
export function defaultConfig(changes: Changes = {}): Config {
  const defaults = parse(readFileSync('resources/default-config.toml', 'utf8')) as unknown as Config;
  const tools: Record<string, unknown> = { ...defaults.tools };
  for (const [key, value] of Object.entries(changes)) {
    const whole = typeof value !== 'object' || Array.isArray(value);
    tools[key] = whole ? value : { ...(tools[key] as object), ...value };
  }
  return { ...defaults, tools: tools as unknown as Config['tools'] };
}
