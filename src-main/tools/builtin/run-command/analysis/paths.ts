import { isControlFile, secretColumn } from '../../../../domain/sensitive/sensitive-places.js';

/** The place that a path in a command leads to, told without looking at the disk. */
export type PathKind = 'inside' | 'outside' | 'secret' | 'control' | 'harmless';

/** Secrets of the system, in no folder that a root is. */
const SYSTEM_SECRET = /^\/etc\/(?:shadow|gshadow|sudoers)|docker\.sock$|^\/proc\/(?:\d+|self)\/environ/iu;
const SYSTEM_CONTROL = /(?:^|\/)crontab(?:\/|$)/iu;
const HARMLESS = /^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|tty|fd\/\d+)$/u;

export function classifyPath(path: string, roots: readonly string[]): PathKind {
  if (HARMLESS.test(path)) return 'harmless';
  const fromHome = path.replace(/^(?:~|\$HOME|\$\{HOME\})\//u, '');
  const below = { isHome: fromHome !== path };
  if (SYSTEM_SECRET.test(path) || secretColumn(fromHome, below) === 'yes') return 'secret';
  if (SYSTEM_CONTROL.test(path) || isControlFile(fromHome)) return 'control';
  if (path.startsWith('~') || /^\$\{?HOME\b/u.test(path)) return 'outside';
  if (path.startsWith('/')) {
    const plain = normalize(path);
    return roots.some((root) => plain === root || plain.startsWith(`${root}/`)) ? 'inside' : 'outside';
  }
  return climbs(path) ? 'outside' : 'inside';
}

/** Whether the path goes above where it began at any point. */
function climbs(path: string): boolean {
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Whether an argument looks like a path at all, so that options and words are left alone. */
export const looksLikePath = (text: string): boolean =>
  /^(?:[~/]|\.{1,2}(?:\/|$)|\$\{?HOME\b)/u.test(text) || text.includes('/');

export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//iu.test(text);
