import type { Folder } from '../folder.js';

/** Where a command would look for its settings: from the folder that it runs in, up to the first root. */
export interface WorkingDirectory {
  readonly folder: Folder;
  /** The folder from the first root; '' is that root. */
  readonly cwd: string;
}

/** A file of this name in the folder and in those above it, the nearest first. */
export function listUpwards({ folder, cwd }: WorkingDirectory, name: string): readonly string[] {
  const parts = cwd === '' ? [] : cwd.split('/');
  const texts: string[] = [];
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const text = folder.text([...parts.slice(0, depth), name].join('/'));
    if (text !== null) texts.push(text);
  }
  return texts;
}

export const readNearest = (place: WorkingDirectory, name: string): string | null =>
  listUpwards(place, name)[0] ?? null;

/** Reads a file in that folder alone. */
export const readHere = ({ folder, cwd }: WorkingDirectory, name: string): string | null =>
  folder.text(cwd === '' ? name : `${cwd}/${name}`);

export interface FileSetting {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** `key = value` below `[section]`, as TOML and INI files have it; what stands in quotes without them. */
export function parseSettings(text: string): readonly FileSetting[] {
  let section = '';
  const settings: FileSetting[] = [];
  for (const line of text.split('\n')) {
    const [, name] = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/u.exec(line) ?? [];
    if (name !== undefined) section = name.replaceAll(/["']/gu, '');
    const [, key = '', raw = ''] = /^\s*["']?([^\s=#;"'[\]]+)["']?\s*=\s*(\S.*?)\s*$/u.exec(line) ?? [];
    if (key === '') continue;
    const [, quoted] = /^(?:\{[^"']*)?["']([^"']*)["']/u.exec(raw) ?? [];
    settings.push({ section, key, value: quoted ?? raw.replace(/\s+[#;].*$/u, '') });
  }
  return settings;
}
