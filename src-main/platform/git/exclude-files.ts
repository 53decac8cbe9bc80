import { dirname, join, resolve } from 'node:path';
import { type GitSetting, parseGitConfig } from '../../domain/sensitive/git-config.js';
import { ParsedFileCache } from './parsed-file-cache.js';
import type { Repository } from './repositories.js';

/** Where Git keeps what is the person's own. */
export interface PersonGitPlaces {
  readonly home: string;
  /** `XDG_CONFIG_HOME` and `GIT_CONFIG_GLOBAL`; left out where they are not set. */
  readonly configHome?: string | undefined;
  readonly global?: string | undefined;
}

const MAX_SETTINGS_FILES = 50;

/**
 * The lists besides the folders' own: those that the settings of the person, of the machine and of the repository name
 * as `core.excludesFile`, and the person's where Git looks for it by itself. Git takes one of them; here each counts,
 * so that no setting of a repository does away with the person's. The weakest comes first.
 */
export class ExcludeFiles {
  readonly #person: PersonGitPlaces;
  readonly #settings = new ParsedFileCache(parseGitConfig);

  constructor(person: PersonGitPlaces) {
    this.#person = person;
  }

  /** Null where settings can't be read or understood: they may name any list. */
  find({ top, common, own }: Repository): readonly string[] | null {
    const { home, configHome = join(home, '.config'), global } = this.#person;
    const ofRepository = this.#namedIn([join(common, 'config'), join(own, 'config.worktree')], top);
    const ofPerson = this.#namedIn(
      [
        '/etc/gitconfig',
        ...(global === undefined ? [join(configHome, 'git', 'config'), join(home, '.gitconfig')] : [global]),
      ],
      top,
    );
    if (ofRepository === null || ofPerson === null) return null;
    return [...new Set([...ofRepository, join(configHome, 'git', 'ignore'), ...ofPerson])];
  }

  #namedIn(files: readonly string[], top: string): readonly string[] | null {
    const named: string[] = [];
    const toRead = [...files];
    for (let at = 0; at < toRead.length; at += 1) {
      if (at >= MAX_SETTINGS_FILES) return null;
      const file = toRead[at] ?? '';
      const settings = this.#settings.read(file, 'followed');
      if (settings === 'absent') continue;
      if (settings === null) return null;
      for (const [what, value] of settings.flatMap(namedBy)) {
        const path = this.#expanded(value, what === 'more' ? dirname(file) : top);
        if (path === null) return null;
        (what === 'more' ? toRead : named).push(path);
      }
    }
    return named;
  }

  /** Null where another's home is meant, or Git's own folder. */
  #expanded(value: string, from: string): string | null {
    if (value.startsWith('~/')) return join(this.#person.home, value.slice(2));
    return value.startsWith('~') || value.startsWith('%(') ? null : resolve(from, value);
  }
}

/** More settings, whatever they are for, and lists. */
function namedBy({ section, name, value }: GitSetting): readonly (readonly ['more' | 'list', string])[] {
  if (value === null || value === '') return [];
  if ((section === 'include' || section === 'includeif') && name === 'path') return [['more', value]];
  return section === 'core' && name === 'excludesfile' ? [['list', value]] : [];
}
